import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial } from 'node:net'
import { connect } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readJournal } from '../../../src/audit/books/read-journal.ts'
import { CannotTell } from '../../../src/audit/cannot-tell.ts'
import { claimDeployment } from '../../../src/bus/buckets/one-deployment.ts'
import { encode } from '../../../src/bus/codec.ts'
import { connectNats } from '../../../src/bus/connect.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { type Server, startBareNats, startNats } from '../servers.ts'

const Journal = suite('audit: the journal')
const OURS = { chainId: 7, escrow: `0x${'e5'.repeat(20)}` }

let server: Server
Journal.before(async () => {
  server = await startBareNats()
})
Journal.after(() => server?.stop())

Journal(
  'where nobody answers for streams, it is asked again, and then there is no verdict',
  async () => {
    const from = performance.now()
    const why = await readJournal(server.url, OURS).catch((error: unknown) => error)
    assert.instance(why, CannotTell)
    assert.match((why as Error).message, /^NATS at 127.0.0.1:\d+ tells nothing of its streams/)
    assert.ok(performance.now() - from > 5_000, 'an election is waited for')
  },
)

Journal('of another escrow, or another chain, is no witness: there is no verdict', async () => {
  const nats = await startNats()
  const log = makeLog('test', 'silent')
  const house = await connectNats({ servers: nats.url, name: 'test', log })
  try {
    await house.makeAll()
    const read = (of: typeof OURS) => readJournal(nats.url, of).catch((error: unknown) => error)
    assert.equal(await read(OURS), NO_JOBS, 'where no actor host has been yet')
    const { chainId, escrow } = OURS
    const cursors = await house.registry('CURSORS')
    await claimDeployment(cursors, { chainId, jobEscrow: toAddress(escrow) })
    assert.equal(await read(OURS), NO_JOBS)
    for (const other of [
      { ...OURS, chainId: 8 },
      { ...OURS, escrow: `0x${'0e'.repeat(20)}` },
    ]) {
      const why = await read(other)
      assert.instance(why, CannotTell)
      assert.match((why as Error).message, `its escrow is ${escrow} on chain 7`)
    }
  } finally {
    await house.close()
    await nats.stop()
  }
})

const NO_JOBS = { journal: new Map(), archive: new Map(), differences: [] }

Journal('what is on its way when a fetch ends is not passed over', async () => {
  const nats = await startNats()
  const gate = await slowWay(nats.url)
  try {
    await keepJobs(nats.url)
    const { journal, differences } = await readJournal(gate.url, OURS)
    assert.is(gate.hasHeld(), true)
    assert.equal([journal.size, differences], [JOBS, []])
  } finally {
    gate.close()
    await nats.stop()
  }
})

/** Of two fetches. The way holds back in the first of them. */
const JOBS = 1_400
const [JOB_BYTES, PASSED_BYTES] = [1_000, 300_000]
/** Longer than a fetch waits. */
const HELD_MS = 12_000

async function keepJobs(url: string): Promise<void> {
  const connection = await connect({ servers: url })
  const manager = await connection.jetstreamManager()
  await manager.streams.add({ name: 'JOB', subjects: ['job.>'] })
  const js = connection.jetstream()
  const padding = 'x'.repeat(JOB_BYTES)
  const publish = (id: string) => {
    const state = { status: 'abandoned', id, wallet: `0x${'1'.repeat(40)}`, padding }
    return js.publish(`job.0.${id}`, encode({ body: { state } }), { timeout: 60_000 })
  }
  await Promise.all(Array.from({ length: JOBS }, (_, i) => publish(`job_${i}`)))
  await connection.close()
}

/** A way to a server on which what it says is held back once. */
async function slowWay(to: string) {
  const port = Number(new URL(to).port)
  let [passed, hasHeld] = [0, false]
  const gate = createServer((near) => {
    const far = dial({ port, host: '127.0.0.1' })
    near.on('error', () => near.destroy()).once('close', () => far.destroy())
    far.on('error', () => far.destroy()).once('close', () => near.destroy())
    near.pipe(far)
    far.on('data', (bytes: Buffer) => {
      near.write(bytes)
      passed += bytes.length
      if (hasHeld || passed < PASSED_BYTES) return
      hasHeld = true
      far.pause()
      setTimeout(() => far.resume(), HELD_MS)
    })
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return {
    url: `nats://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    hasHeld: () => hasHeld,
    close: () => gate.close(),
  }
}

Journal.run()
