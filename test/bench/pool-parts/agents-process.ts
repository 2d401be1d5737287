// Many real agents in one process, with an eager engine. Prints a line once all have been started.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeLog } from '../../../src/telemetry/log.ts'
import { Agent } from '../../../src/worker/agent.ts'
import { SignedJobs } from '../../../src/worker/local/signed-jobs.ts'
import { identity, MODEL } from '../../fakes/pool/stage.ts'
import { makeEagerEngine } from './eager-engine.ts'

/** A thousand that dial at once would measure the dialling. */
const WAVE = 20
const WAVE_MS = 100

const number = (name: string): number => Number(process.env[name])
const log = makeLog('agents', 'error')
const targets = (process.env.POOLS ?? '').split(',').map((target) => ({ target, tls: false }))
const engine = makeEagerEngine(MODEL, { tokens: number('TOKENS'), tokenMs: number('TOKEN_MS') })

for (let n = 0; n < number('COUNT'); n++) {
  const who = { identity: identity(number('FIRST_KEY') + n), signed: new SignedJobs() }
  const what = { engine, slots: number('SLOTS'), region: 'bench', log }
  // Half of them begin with the other pool.
  const pools = n % 2 === 0 ? targets : [...targets].reverse()
  new Agent({ pools: async () => pools, ...who, ...what }).start()
  if (n % WAVE === WAVE - 1) await sleep(WAVE_MS)
}
process.stdin.on('end', () => process.exit()).resume()
console.log('started')
