// What a plain (not streamed) request costs inside the house at 64 at once: CPU by role, messages by
// subject, appends to each stream, commands of Redis. `npm run bench -- plain`; BENCH_RUNS loads are
// measured one after the other (3), BENCH_JSON names a file for the figures.
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'nats'
import { natsAddress } from '../../src/bus/connection/address.ts'
import { drive } from './drive.ts'
import {
  AFTERMATH_MS,
  LOAD,
  type PlainNetwork,
  plainCosts,
  round,
  saveFigures,
  withPlainNetwork,
} from './plain-costs.ts'

/** Counted apart: who listens to everything makes the server do more. */
const TAPPED = { ...LOAD, requests: 1_000 }
const RUNS = Number(process.env.BENCH_RUNS ?? 3)

await withPlainNetwork([], async (plain) => {
  const runs = []
  for (let run = 0; run < RUNS; run++) runs.push(await plainCosts(plain))
  console.table(runs)
  const subjects = await tap(plain)
  console.log('Messages a request, by subject, 0.01 or more\n')
  console.table(subjects)
  saveFigures({ runs, subjects })
})

/** Messages a request by kind of subject, as one who hears all of them counts. */
async function tap({ network, targets }: PlainNetwork) {
  const connection = await connect(natsAddress(network.nats_url))
  const heard = new Map<string, { count: number; bytes: number }>()
  connection.subscribe('>', {
    callback: (_error, { subject, data }) => {
      const kind = kindOf(subject)
      const sum = heard.get(kind) ?? { count: 0, bytes: 0 }
      heard.set(kind, { count: sum.count + 1, bytes: sum.bytes + data.length })
    },
  })
  await connection.flush()
  await drive(targets[0]!, TAPPED)
  await sleep(AFTERMATH_MS)
  await connection.close()
  return Object.fromEntries(
    [...heard]
      .map(
        ([kind, { count, bytes }]) =>
          [
            kind,
            { messages: round(count / TAPPED.requests), bytes: Math.round(bytes / count) },
          ] as const,
      )
      .filter(([, { messages }]) => messages >= 0.01)
      .sort(([, a], [, b]) => b.messages - a.messages),
  )
}

/** Ids, numbers and hosts left out. */
function kindOf(subject: string): string {
  const isName = /^\d+$|^job_|^host-|^[A-Za-z0-9_-]{16,}$|-[0-9a-f]{8,}$/
  return subject
    .split('.')
    .map((token) => (isName.test(token) ? '*' : token))
    .join('.')
}
