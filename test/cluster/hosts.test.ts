import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { audit } from '../e2e/books.ts'
import { type Call, MODEL } from '../e2e/calls.ts'
import { untilServed } from '../e2e/until.ts'
import { allAgree, tally, told } from '../e2e/verdicts.ts'
import { run } from '../network/command.ts'
import { pause, until } from '../until.ts'
import { type HostName, type HostNetwork, startHostNetwork } from './hosts/host-network.ts'
import { whyNoHosts } from './hosts/namespaces.ts'

/**
 * A network on four machines, called from a fifth: none has 127.0.0.1, so each part is found by the
 * address that it was told; and the way to one machine is cut like a cable.
 */
const Machines = suite('a network on several machines')
const START_MS = 240_000
const BOOKS_MS = 90_000
const CUT_MS = 5_000
const AT_ONCE = 8
const MORE_MS = 90_000
/** Calls that must be whole before the cut, and after it. */
const [BEFORE, AFTER] = [16, 24]

const why = whyNoHosts()
const test = why === undefined ? Machines : Machines.skip
if (why !== undefined) process.stdout.write(`  skipped, since ${why}\n`)

let network: HostNetwork
Machines.before(async () => {
  if (why !== undefined) return
  network = await startHostNetwork()
  await untilServed(network, MODEL, 1, START_MS)
})
Machines.after(() => network?.stop())

test('a request from outside is answered and settled', async () => {
  const load = await callFromOutside(2)
  const calls = await load.during(() => load.whole(4))
  for (const call of calls) assert.is(call.type, 'whole', told(call))
  const { jobs } = await audit(network, BOOKS_MS)
  await allAgree(network, calls, jobs)
})

const CUTS: readonly HostName[] = ['actors', 'pool', 'front', 'servers']
for (const name of CUTS) {
  test(`the cable of ${name} is pulled for 5 s under load: no answer is wrong, none is lost`, async () => {
    const load = await callFromOutside(AT_ONCE)
    const calls = await load.during(async () => {
      await load.whole(BEFORE)
      network.hosts.unplug(name)
      await pause(CUT_MS)
      network.hosts.plug(name)
      const from = performance.now()
      await load.whole(load.count() + AFTER)
      process.stdout.write(
        `  ${name}: ${AFTER} whole after ${Math.round(performance.now() - from)} ms\n`,
      )
    })
    process.stdout.write(`  ${name}: ${tally(calls)}\n`)
    for (const call of calls) assert.is.not(call.type, 'broken', told(call))
    const { jobs } = await audit(network, BOOKS_MS)
    await allAgree(network, calls, jobs)
  })
}

test('the auditor finds nothing wrong in chain, journal and views', async () => {
  const { rpcUrl, natsUrl, redisUrl, contractsFile } = network
  const said = await run([
    'audit',
    ...['--rpc', rpcUrl, '--contracts', contractsFile, '--nats', natsUrl, '--redis', redisUrl],
  ])
  assert.is(said.code, 0, `${said.out}${said.err}`)
})

/** Load from the fifth machine. */
async function callFromOutside(atOnce: number) {
  const script = join(import.meta.dirname, 'hosts/caller.ts')
  const args = ['--import', import.meta.resolve('tsx'), script]
  const told = [network.base_urls[0]!, network.api_key, String(atOnce)]
  const [command, ...rest] = network.hosts.command('caller', process.execPath, [...args, ...told])
  const caller: ChildProcess = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  // Not `exit`: by then not all that it said may have been read.
  const closed = once(caller, 'close')
  let said = ''
  caller.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const count = () => said.split('\n').filter((line) => line === 'whole').length
  return {
    count,
    whole: (wanted: number) => until(`${wanted} whole answers`, () => count() >= wanted, MORE_MS),
    /** Calls until `work` is done, or has failed: a caller that went on would keep this process. */
    during: async (work: () => Promise<unknown>): Promise<readonly Call[]> => {
      try {
        await work()
      } finally {
        caller.stdin!.end()
      }
      await closed
      return JSON.parse(said.split('\n').at(-2)!) as Call[]
    },
  }
}

Machines.run()
