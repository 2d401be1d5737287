import { connect, type NatsConnection, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readJournal } from '../../../src/audit/books/read-journal.ts'
import { claimDeployment } from '../../../src/bus/buckets/one-deployment.ts'
import { encode } from '../../../src/bus/codec.ts'
import { connectNats, type NatsOfOwner } from '../../../src/bus/connect.ts'
import { natsAddress } from '../../../src/bus/connection/address.ts'
import type { NatsRole } from '../../../src/bus/permissions.ts'
import { BUCKETS, STREAMS } from '../../../src/bus/streams/streams.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'
import { startNatsWithUsers } from '../bus/nats-with-users.ts'

/** The server itself refuses what is not a role's to say: what a stolen credential is worth. */
const Users = suite('users of NATS')

const log = makeLog('test', process.env.TEST_LOG ?? 'silent')
const ANSWER_MS = 20_000
const JOB = 'job_01hzzzzzzzzzzzzzzzzzzzzzzz'
const WALLET = `0x${'11'.repeat(20)}`

let server: Awaited<ReturnType<typeof startNatsWithUsers>>
let owner: NatsOfOwner
const connections = new Map<NatsRole, NatsConnection>()

Users.before(async () => {
  server = await startNatsWithUsers()
  owner = await connectNats({ servers: server.urlAs('actors'), name: 'actors', log })
  await owner.makeAll()
})
Users.after(async () => {
  await Promise.all([...connections.values()].map((each) => each.close()))
  await owner.close()
  await server.stop()
})

async function as(role: NatsRole): Promise<NatsConnection> {
  const known = connections.get(role)
  if (known) return known
  const made = await connect({ ...natsAddress(server.urlAs(role)), name: `stolen-${role}` })
  connections.set(role, made)
  return made
}

/** Resolves with the subject that the server refused. */
async function refusedPublish(role: NatsRole, subject: string): Promise<void> {
  const connection = await as(role)
  try {
    await connection.request(subject, encode({}), { timeout: ANSWER_MS })
    assert.unreachable(`${role} was answered on ${subject}`)
  } catch (error) {
    if (!(error instanceof NatsError)) throw error
    assert.is(error.code, 'PERMISSIONS_VIOLATION', `${role} on ${subject}: ${error.code}`)
  }
}

async function refusedSubscribe(role: NatsRole, subject: string): Promise<void> {
  const connection = await as(role)
  let refusal: NatsError | undefined
  connection.subscribe(subject, {
    callback: (error) => {
      if (error) refusal = error
    },
  })
  await until(`${role} to be refused ${subject}`, () => refusal !== undefined)
  assert.is(refusal?.code, 'PERMISSIONS_VIOLATION')
}

const DESTRUCTION = [...Object.keys(STREAMS), ...Object.keys(BUCKETS).map((name) => `KV_${name}`)]
  .flatMap((name) => ['DELETE', 'PURGE', 'MSG.DELETE'].map((call) => `STREAM.${call}.${name}`))
  .map((call) => `$JS.API.${call}`)

/** What nobody but the actors may say. */
const MONEY_AND_TRUTH = [
  SUBJECTS.lane('lock'),
  SUBJECTS.lane('settle'),
  SUBJECTS.laneHealth,
  `job.3.${JOB}`,
  'tx.settle',
  'tx.lock',
  SUBJECTS.doneJobs,
  `fact.${WALLET}.credit_topup`,
  SUBJECTS.hook('wh_x'),
  `attempt.${WALLET}.wh_x.first`,
  `cmd.3.house.${JOB}`,
  SUBJECTS.hosts,
  SUBJECTS.host('x'),
  '$KV.PARTS.p.3',
  '$KV.CURSORS.watcher',
  '$KV.MODELS.x',
  '$KV.LOW.x',
  '$KV.WALLETS.x',
  '$KV.WEBHOOKS.x',
]
const FORBIDDEN: Readonly<Record<'edge' | 'web' | 'pool' | 'auditor', readonly string[]>> = {
  edge: [
    ...MONEY_AND_TRUTH,
    ...['$KV.KEYS.x', '$KV.KEYRINGS.x', '$KV.SESSIONS.x', '$KV.SETTINGS.x', '$KV.STRIKES.x'],
    ...[SUBJECTS.accountWithdraw, SUBJECTS.depositAddress, SUBJECTS.workerRegister],
    ...[`cmd.3.pool.${JOB}`, `cmd.3.web.${JOB}`, SUBJECTS.pool('p'), SUBJECTS.poolSummary],
    ...['$JS.API.DIRECT.GET.KV_SESSIONS.x', '$JS.API.STREAM.MSG.GET.JOB', 'edge.other'],
    ...['$JS.API.CONSUMER.CREATE.JOB', '$JS.API.CONSUMER.CREATE.KV_LISTENERS'],
    ...['$JS.API.DIRECT.GET.KV_LISTENERS', '$JS.API.STREAM.MSG.GET.KV_WEBHOOKS'],
  ],
  web: [
    ...MONEY_AND_TRUTH,
    ...[`cmd.3.edge.${JOB}`, `cmd.3.pool.${JOB}`, 'edge.other', SUBJECTS.pool('p')],
    ...['$KV.STRIKES.x', '$KV.LISTENERS.x', SUBJECTS.workerRegister],
    ...['$JS.API.STREAM.MSG.GET.KV_WEBHOOKS', '$JS.API.STREAM.MSG.GET.JOB'],
  ],
  pool: [
    ...MONEY_AND_TRUTH,
    ...[`cmd.3.edge.${JOB}`, `cmd.3.web.${JOB}`, SUBJECTS.accountWithdraw, SUBJECTS.accountLoad],
    ...['$KV.KEYS.x', '$KV.KEYRINGS.x', '$KV.SESSIONS.x', '$KV.SETTINGS.x', SUBJECTS.pool('p')],
    ...['$JS.API.STREAM.MSG.GET.KV_KEYS', '$JS.API.STREAM.MSG.GET.JOB', SUBJECTS.webhooks],
  ],
  auditor: [
    ...[...MONEY_AND_TRUTH, '$KV.KEYS.x', `cmd.3.edge.${JOB}`, SUBJECTS.accountWithdraw],
    // The work that actor hosts share: without its consumer, deliveries of a month would begin anew.
    ...['DELETE', 'MSG.NEXT', 'CREATE', 'DURABLE.CREATE'].flatMap((call) =>
      ['FACT.webhook-fan-out', 'HOOK.webhook-due'].map((at) => `$JS.API.CONSUMER.${call}.${at}`),
    ),
  ],
}

for (const role of ['edge', 'web', 'pool', 'auditor'] as const) {
  Users(`${role}: cannot say what is others' to say`, async () => {
    for (const subject of FORBIDDEN[role]) await refusedPublish(role, subject)
  })
  Users(`${role}: makes, changes and deletes no stream`, async () => {
    for (const subject of DESTRUCTION) await refusedPublish(role, subject)
    for (const call of ['CREATE', 'UPDATE']) {
      await refusedPublish(role, `$JS.API.STREAM.${call}.JOB`)
      await refusedPublish(role, `$JS.API.STREAM.${call}.KV_KEYS`)
    }
  })
}

Users('actors: delete no stream', async () => {
  for (const subject of DESTRUCTION) await refusedPublish('actors', subject)
})

Users('the auditor reads the journal', async () => {
  const journal = await owner.journal('JOB')
  await journal.append(`job.3.${JOB}`, 0, { token: 'first', body: 'no job' })
  const of = { chainId: 7, escrow: `0x${'e5'.repeat(20)}` }
  const { differences } = await readJournal(server.urlAs('auditor'), of)
  assert.equal(
    differences.map(({ subject, says }) => `${subject}: ${says}`),
    [`${JOB}: record 1 of its journal cannot be read`],
  )
  const cursors = await owner.registry('CURSORS')
  await claimDeployment(cursors, { chainId: 7, jobEscrow: toAddress(`0x${'0e'.repeat(20)}`) })
  const why = await readJournal(server.urlAs('auditor'), of).catch((error: unknown) => error)
  assert.match(String(why), /of another network/)
})

Users('nobody hears what others are answered, or are asked', async () => {
  const others: Readonly<Record<string, readonly string[]>> = {
    edge: [
      '_INBOX_actors.>',
      '_INBOX_web.>',
      '_INBOX_pool.>',
      '_INBOX.>',
      'cmd.>',
      'job.>',
      'pool.*',
    ],
    web: ['_INBOX_edge.>', 'edge.*', 'cmd.>', 'lane.*', '$KV.>', 'account.withdraw'],
    pool: ['_INBOX_edge.>', 'edge.*', 'cmd.>', 'worker.register', 'account.load', '$KV.>'],
    auditor: ['_INBOX_edge.>', 'edge.*', 'cmd.>', '>'],
    actors: ['_INBOX_edge.>', '_INBOX_web.>', 'edge.*'],
  }
  for (const [role, subjects] of Object.entries(others)) {
    for (const subject of [...subjects, '$SYS.>', '$JS.API.>']) {
      await refusedSubscribe(role as NatsRole, subject)
    }
  }
})

Users('who has no password, or a wrong one, gets nothing', async () => {
  const { servers } = natsAddress(server.urlAs('edge'))
  for (const given of [{}, { user: 'edge', pass: 'guessed' }, { user: 'nobody', pass: '' }]) {
    try {
      await connect({ servers, ...given, timeout: ANSWER_MS, reconnect: false })
      assert.unreachable(`let in with ${JSON.stringify(given)}`)
    } catch (error) {
      assert.is((error as NatsError).code, 'AUTHORIZATION_VIOLATION')
    }
  }
})

Users(
  'a role whose user may not do its work says so at start, by the name of what it lacks',
  async () => {
    const wrong = await connectNats({ servers: server.urlAs('pool'), name: 'wrong', log })
    const error = await wrong.registry('SESSIONS').then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    await wrong.close()
    assert.instance(error, OperatorError)
    assert.match((error as Error).message, /may not use SESSIONS .*STREAM\.INFO\.KV_SESSIONS/)
  },
)

Users('a word that is refused later is logged with its subject', async () => {
  const told: { subject?: string }[] = []
  const listening = Object.assign(Object.create(log), {
    error: (about: { subject?: string }) => told.push(about),
  })
  const edge = await connectNats({ servers: server.urlAs('edge'), name: 'edge', log: listening })
  edge.bus.publish(SUBJECTS.lane('settle'), {})
  await until('the refusal in the log', () =>
    told.some(({ subject }) => subject === SUBJECTS.lane('settle')),
  )
  await edge.close()
})

Users('what the web app writes cannot be made to speak for the actors', async () => {
  // JetStream answers where it is told to, and no permission is asked for that.
  const intent = { type: 'SettleIntent', jobId: JOB }
  const heard: unknown[] = []
  const refused: unknown[] = []
  const listening = Object.assign(Object.create(log), {
    error: (about: object) => refused.push(about),
  })
  const lanes = await connectNats({
    servers: server.urlAs('actors'),
    name: 'lanes',
    log: listening,
  })
  lanes.bus.subscribe(SUBJECTS.lane('settle'), (message) => heard.push(message))
  await lanes.bus.flush()
  const web = await as('web')
  await web.request('$KV.SETTINGS.stolen', encode(intent), { timeout: ANSWER_MS })
  web.publish('$JS.API.DIRECT.GET.KV_SETTINGS.$KV.SETTINGS.stolen', '', {
    reply: SUBJECTS.lane('settle'),
  })
  await until('the lane to refuse it', () => refused.length > 0)
  owner.bus.publish(SUBJECTS.lane('settle'), { type: 'honest' })
  await until('an honest word', () => heard.length > 0)
  assert.equal(heard, [{ type: 'honest' }])
  await lanes.close()
})

Users.run()
