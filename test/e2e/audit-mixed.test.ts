import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runOn } from '../network/command.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { MIXED_NETWORK, mixedLife } from './mixed/mixed-life.ts'

/** `npm run bench -- audit` in small: after all that can happen, the books are right. */
const Mixed = suite('audit of a mixed life')

const JOBS = 150

let network: Network
Mixed.before(async () => {
  network = await startNetwork(MIXED_NETWORK)
})
Mixed.after(() => network?.stop())

Mixed('every kind of job and every way of money: the books are right', async () => {
  const { endings } = await mixedLife(network, { jobs: JOBS, concurrency: 12, credits: 20_000n })
  const { code, out, err } = await runOn(network, 'src/audit/books/main.ts', ['--json'])
  const books = JSON.parse(out)
  assert.is(code, 0, `${JSON.stringify({ endings, ...books })}${err}`)
  assert.equal(books.code.type, 'same')
  for (const status of ['settled', 'refunded', 'upheld', 'rejected', 'disputed']) {
    assert.ok(books.jobs.chain[status] > 0, `none ${status}: ${JSON.stringify(books.jobs)}`)
  }
  for (const status of ['failed', 'refunded']) {
    assert.ok(books.jobs.journal[status] > 0, `none ${status}: ${JSON.stringify(books.jobs)}`)
  }
  const flowed = (name: string) =>
    books.wallets.some((wallet: Record<string, string>) => BigInt(wallet[name]!) > 0n)
  for (const name of ['deposited', 'thawing', 'charged', 'withdrawn']) assert.ok(flowed(name), name)
})

Mixed.run()
