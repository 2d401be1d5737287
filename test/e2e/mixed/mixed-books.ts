import * as assert from 'uvu/assert'
import { runOn } from '../../network/command.ts'
import type { Network } from '../../network/network.ts'
import { mixedLife } from './mixed-life.ts'

const MIX = { jobs: 150, concurrency: 12, credits: 20_000n }

/** `npm run bench -- audit` in small: after all that can happen, the books are right. */
export async function mixedLifeWithRightBooks(
  network: Network,
  inTheMiddle?: () => void,
): Promise<void> {
  const { endings } = await mixedLife(network, MIX, inTheMiddle)
  const { code, out, err } = await runOn(network, 'audit', ['--json'])
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
}
