import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LAUNCH_LINEUP } from '../../../src/domain/models.ts'
import { RenewedCertificate } from '../../../src/pool/session/certificate.ts'
import { Agent } from '../../../src/worker/agent.ts'
import { readChallenge } from '../../../src/worker/challenge.ts'
import { readSettings } from '../../../src/worker/cli/settings.ts'
import { requireTls } from '../../../src/worker/dial.ts'
import { makeSampleEngine } from '../../../src/worker/engines/sample.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { poolTargets } from '../../../src/worker/pool-ring.ts'
import { whyNoJobs } from '../../../src/worker/status/why-no-jobs.ts'
import { identity, log, PoolStage } from '../../fakes/pool/stage.ts'
import { type Certificate, makeAuthority } from '../../fakes/tls/certificate.ts'
import { pause, until } from '../../until.ts'

/** Real handshakes between an agent and a pool, and what its operator reads when they fail. */
const Tls = suite('pool and worker: TLS')

const WAIT_MS = 15_000
const LOOK_MS = 20
const authority = makeAuthority('an authority of its own')
const stranger = makeAuthority('somebody else')

let folder: string
let stage: PoolStage
let agent: Agent | undefined
Tls.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
})
Tls.after.each(async () => {
  await agent?.stop()
  agent = undefined
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** A pool with this certificate; undefined: without TLS. */
async function pool(certificate: Certificate | undefined): Promise<void> {
  const tls = certificate && (await RenewedCertificate.open(files(certificate), log, LOOK_MS))
  stage = await new PoolStage().open(tls)
}

const files = ({ cert, key }: Certificate) => ({
  certFile: file('pool.crt', cert),
  keyFile: file('pool.key', key),
})

const settingsOf = (url: string, trusts: Certificate | undefined) =>
  readSettings({
    flags: { pool: url, ...(trusts && { 'pool-ca': file('ca.crt', trusts.cert) }) },
    env: { HOME: folder },
    file: undefined,
  })

function dials(host: string, scheme: 'http' | 'https', trusts?: Certificate): Agent {
  const pools = requireTls(settingsOf(`${scheme}://${host}:${stage.listensAt}`, trusts))
  const engine = makeSampleEngine({ models: LAUNCH_LINEUP, tokens: 5, tokenMs: 0 })
  const who = { identity: identity(1), signed: new SignedJobs(), slots: 1, region: 'test' }
  agent = new Agent({ ...who, pools: () => poolTargets(pools), engine, log })
  agent.start()
  return agent
}

const served = async () => {
  await until('the worker to join', () => stage.workers() === 1, WAIT_MS)
  const { jobId } = await stage.offer()
  await stage.hears(jobId, 'CompleteJob', WAIT_MS)
}
const reads = async (dialling: Agent, words: RegExp) => {
  const why = () => whyNoJobs(dialling.report(), Date.now()) ?? ''
  await until('a reason', () => why().startsWith('not connected: '), WAIT_MS)
  assert.match(why(), words)
  assert.is(stage.workers(), 0)
}

Tls('a job goes over TLS, to a name and to an address', async () => {
  await pool(authority.issue('localhost'))
  dials('localhost', 'https', authority)
  await served()
})

Tls('a certificate may be for an address', async () => {
  const warnings: string[] = []
  const warned = (warning: Error) => warnings.push(warning.message)
  process.on('warning', warned)
  await pool(authority.issue('127.0.0.1'))
  dials('127.0.0.1', 'https', authority)
  await served()
  process.off('warning', warned)
  // An address that is asked for as a name: Node 26 refuses it, those before say that they will.
  assert.is(warnings.filter((text) => text.includes('ServerName')).join(), '')
})

Tls('a certificate of another address', async () => {
  await pool(authority.issue('127.0.0.2'))
  await reads(dials('127.0.0.1', 'https', authority), /for another name: give --pool the name/)
})

Tls('a certificate of another name', async () => {
  await pool(authority.issue('pool.example'))
  await reads(dials('localhost', 'https', authority), /for another name: give --pool the name/)
})

Tls('an authority that is not trusted, whether one was named or not', async () => {
  await pool(authority.issue('localhost'))
  const words = /does not trust whoever signed.*--pool-ca/
  const first = dials('localhost', 'https', stranger)
  await reads(first, words)
  await first.stop()
  await reads(dials('localhost', 'https'), words)
})

Tls('a certificate that signs itself', async () => {
  await pool({ cert: authority.cert, key: authority.key })
  await reads(dials('localhost', 'https'), /does not trust whoever signed/)
})

Tls('a certificate that has expired, and one of the future', async () => {
  await pool(authority.issue('localhost', { from: -5, to: -1 }))
  await reads(dials('localhost', 'https', authority), /has expired: its operator must renew it/)
  await agent?.stop()
  await stage.close()
  await pool(authority.issue('localhost', { from: 1, to: 5 }))
  await reads(dials('localhost', 'https', authority), /not good yet: set this machine's clock/)
})

Tls(
  'a renewed certificate is taken without a restart, and whoever is connected stays',
  async () => {
    await pool(authority.issue('localhost'))
    const first = dials('localhost', 'https', authority)
    await served()
    // Half of a pair, and what is no certificate, change nothing.
    file('pool.key', authority.issue('localhost').key)
    await pause(10 * LOOK_MS)
    assert.is(await shownName(), 'localhost')
    file('pool.crt', 'half written')
    await pause(10 * LOOK_MS)
    assert.is(await shownName(), 'localhost')
    files(authority.issue('pool.example'))
    await until('the new certificate', async () => (await shownName()) === 'pool.example', WAIT_MS)
    assert.is(first.report().phase, 'connected')
    const { jobId } = await stage.offer()
    await stage.hears(jobId, 'CompleteJob', WAIT_MS)
  },
)

Tls('files that are no certificate with its key are refused at start', async () => {
  await pool(undefined)
  const [one, other] = [authority.issue('localhost'), authority.issue('localhost')]
  for (const key of [other.key, 'no key']) {
    const opened = RenewedCertificate.open(files({ cert: one.cert, key }), log)
    assert.is(
      await opened.then(
        () => 'taken',
        () => 'refused',
      ),
      'refused',
    )
  }
})

/** Whose certificate the pool shows to somebody who dials now. */
const shownName = (): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: stage.listensAt, rejectUnauthorized: false }
    const socket = connect({ ...options, ALPNProtocols: ['h2'] }, () => {
      const name = socket.getPeerCertificate().subjectaltname?.replace('DNS:', '')
      socket.destroy()
      resolve(name)
    })
    socket.once('error', reject)
  })

Tls('TLS to a pool that has none', async () => {
  await pool(undefined)
  await reads(dials('localhost', 'https', authority), /does not speak TLS at this address/)
})

Tls('no TLS to a pool that has it', async () => {
  await pool(authority.issue('localhost'))
  await reads(dials('localhost', 'http'), /if it speaks TLS, give --pool its https:/)
})

Tls('a command says the same', async () => {
  await pool(authority.issue('pool.example'))
  const settings = settingsOf(`https://localhost:${stage.listensAt}`, authority)
  const why = await readChallenge(settings).then(
    () => 'it was met',
    (error: Error) => error.message,
  )
  assert.match(why, /for another name/)
})

Tls('a file of authorities that is none is refused at start', async () => {
  await pool(undefined)
  const wrong = { cert: 'no certificate', key: '' }
  assert.throws(() => requireTls(settingsOf('https://pool.example', wrong)), /holds no certificate/)
  const gone = { ...settingsOf('https://pool.example', undefined), POOL_CA: join(folder, 'gone') }
  assert.throws(() => requireTls(gone), /--pool-ca .* cannot be read/)
})

Tls.run()
