import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Verdict } from '../../src/audit/verify/judge.ts'
import { toAddress, toJobId } from '../../src/domain/ids.ts'
import { makeEscrowCaller } from '../fakes/chain/escrow-caller.ts'
import { run, runOn, type Said } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { until } from '../until.ts'
import { ask, hashOf, MODEL, untilStatus } from './calls.ts'
import { firstCustomer, send } from './customer.ts'
import { untilServed } from './until.ts'
import { whole } from './verdicts.ts'

/** `npm run verify`, as a caller runs it who has nothing but a node of the chain and an answer. */
const Verify = suite('verify')

const SETTLE_MS = 90_000

let network: Network
let files: string

Verify.before(async () => {
  files = mkdtempSync(join(tmpdir(), 'svc-verify-'))
  network = await startNetwork({ env: { WORKER_SAMPLE_TOKEN_MS: '2' } })
})
Verify.after(async () => {
  await network?.stop()
  rmSync(files, { recursive: true, force: true })
})

Verify('a settled job: every check holds, with the text from a file or from a pipe', async () => {
  const { jobId, text } = await settled()
  const file = join(files, 'answer.txt')
  writeFileSync(file, `${text}\n`)
  for (const said of [
    await verify([jobId, '--text', file]),
    await verify([jobId, '--text', '-'], text),
  ]) {
    assert.is(said.code, 0, told(said))
    assert.match(said.out, /^✓ signature /m)
    assert.match(said.out, new RegExp(`^✓ text +${hashOf(text)}`, 'm'))
    assert.match(said.out, /Settled: 8 of \d+ credits paid for \d+ tokens\. Every check holds\.\n$/)
    assert.not.match(said.out, /[✗?]/u)
  }
})

Verify('a text with one character changed: 1, and the line shows both hashes', async () => {
  const { jobId, text } = await settled()
  const said = await verify([jobId, '--text', '-'], `${text}.`)
  assert.is(said.code, 1, told(said))
  assert.match(said.out, `✗ text`)
  assert.match(said.out, `${hashOf(`${text}.`)}; but expected ${hashOf(text)}`)
})

Verify('a refunded job: all of the lock went back', async () => {
  const leaving = new AbortController()
  let jobId = ''
  const halted = network.pids('worker')
  for (const pid of halted) process.kill(pid, 'SIGSTOP')
  try {
    const asked = ask(network, {
      stream: true,
      signal: leaving.signal,
      deadlineMs: SETTLE_MS,
    })
    jobId = await newestJob()
    leaving.abort()
    await asked
    // A worker that goes on before this could still answer, and be paid.
    await untilStatus(network, jobId, 'failed', SETTLE_MS)
  } finally {
    for (const pid of halted) process.kill(pid, 'SIGCONT')
  }
  await untilServed(network, MODEL, 2)
  const said = await eventuallyCode([jobId], 0)
  const verdict = judged(said)
  assert.is(verdict.outcome, 'refunded')
  assert.match(verdict.sentence, 'went back to the wallet')
})

Verify('a disputed job: open, then decided either way', async () => {
  for (const upheld of [true, false]) {
    const { jobId, text } = await settled()
    const contested = await send(firstCustomer(network), `/jobs/${jobId}/dispute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: { received_output_hash: hashOf('something else') },
    })
    assert.is(contested.status, 200, contested.text)
    assert.is(judged(await eventuallyOutcome(jobId, 'disputed')).verdict, 'holds')
    await arbiter().resolveDispute(toJobId(jobId), upheld)
    const said = await verify([jobId, '--json', '--text', '-'], text)
    assert.is(said.code, 0, told(said))
    assert.is(judged(said).outcome, upheld ? 'upheld' : 'rejected')
  }
})

Verify('JSON: the same verdict for a program', async () => {
  const { jobId } = await settled()
  const verdict = judged(await verify([jobId, '--json']))
  assert.is(verdict.jobId, jobId)
  assert.ok(verdict.checks.length > 8)
  assert.ok(verdict.checks.every(({ holds }) => holds))
})

Verify('what cannot be told: 2, and why', async () => {
  const unknown = `job_${'0'.repeat(26)}`
  const cases: [string[], RegExp][] = [
    [[unknown], /knows no job job_0{26}/],
    [['nonsense'], /a job id is job_ and letters and digits, not "nonsense"/],
    [[], /name one job/],
    [[unknown, '--rpc', 'http://127.0.0.1:9'], /no node of a chain answers at 127\.0\.0\.1:9 /],
    [[unknown, '--contracts', join(files, 'none.json')], /there is no address file .*none\.json/],
    [[unknown, '--text', join(files, 'none.txt')], /none\.txt cannot be read/],
    [[unknown, '--contracts', elsewhere({ chain_id: 1 })], /is a node of chain 31337/],
    [
      [unknown, '--contracts', elsewhere({ job_escrow: `0x${'9'.repeat(40)}` })],
      /there is no contract at 0x9{40}/,
    ],
  ]
  for (const [args, why] of cases) {
    const said = await verify(args)
    assert.is(said.code, 2, told(said))
    assert.match(said.out + said.err, why)
    assert.not.match(said.err, /\n {4}at /)
  }
})

Verify('needs no network, only its chain', async () => {
  const { jobId } = await settled()
  const contracts = join(network.dataDir, 'contracts.json')
  const said = await run(['verify', jobId, '--rpc', network.rpc_url, '--contracts', contracts])
  assert.is(said.code, 0, told(said))
})

const verify = (args: readonly string[], input?: string) => runOn(network, 'verify', args, input)
const judged = ({ out }: Said): Verdict => JSON.parse(out)
const told = (said: Said): string => JSON.stringify(said)

async function settled() {
  const answer = whole(await ask(network, { maxTokens: 600 }))
  await untilStatus(network, answer.jobId, 'settled', SETTLE_MS)
  return answer
}

/** The address file with something else in it. */
function elsewhere(other: object): string {
  const { chain_id, contracts } = network
  const file = join(files, `${Object.keys(other).join()}.json`)
  const right = { chain_id, job_escrow: contracts.job_escrow, deploy_block: 0 }
  writeFileSync(file, JSON.stringify({ ...right, ...other }))
  return file
}

const arbiter = () =>
  makeEscrowCaller({
    rpcUrl: network.rpc_url,
    contracts: { jobEscrow: toAddress(network.contracts.job_escrow) },
    privateKey: `0x${network.arbiter.private_key.slice(2)}`,
  })

const eventuallyCode = (args: readonly string[], code: number): Promise<Said> =>
  untilSaid([...args, '--json'], (said) => said.code === code)
const eventuallyOutcome = (jobId: string, outcome: string): Promise<Said> =>
  untilSaid([jobId, '--json'], (said) => said.code !== 2 && judged(said).outcome === outcome)

function untilSaid(args: readonly string[], is: (said: Said) => boolean): Promise<Said> {
  let last: Said
  return until(
    () => told(last),
    async () => {
      last = await verify(args)
      return is(last) && last
    },
    SETTLE_MS,
  )
}

/** The id of a job that is pending. */
async function newestJob(): Promise<string> {
  return until('a job that began', async () => {
    const answer = await send(firstCustomer(network), '/jobs?limit=1')
    const { data } = JSON.parse(answer.text) as { data: { id: string; status: string }[] }
    return data[0] && ['pending', 'processing'].includes(data[0].status) && data[0].id
  })
}

Verify.run()
