import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { ChainUnavailable } from '../../../src/ports/escrow.ts'
import { countCoin } from '../../../src/runtime/count-coin.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Coin = suite('runtime: coin for gas')

const LOCKER = toAddress(`0x${'10'.repeat(20)}`)
const SETTLER = toAddress(`0x${'5e'.repeat(20)}`)
const NODE_SILENT_MS = 2_000

interface Told {
  readonly text: () => Promise<string>
  readonly clock: ManualClock
  readonly lines: readonly Record<string, unknown>[]
}

function counted(keys: Parameters<typeof countCoin>[1], coinOf: () => Promise<number>): Told {
  const clock = new ManualClock()
  const metrics = makeMetrics()
  const lines: Record<string, unknown>[] = []
  const log = makeLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) })
  countCoin({ metrics, clock, log, coinOf }, keys)
  return { text: () => metrics.text(), clock, lines }
}

Coin(
  'of each address that pays, read when the figures are, and its address told at the start',
  async () => {
    const coins = [3, 0.25, 2.5, 0.125]
    const { text, lines } = counted(
      { locker: LOCKER, settler: SETTLER },
      async () => coins.shift()!,
    )
    assert.match(
      await text(),
      /^svc_key_coin\{key="locker"\} 3\nsvc_key_coin\{key="settler"\} 0.25$/m,
    )
    assert.match(
      await text(),
      /^svc_key_coin\{key="locker"\} 2.5\nsvc_key_coin\{key="settler"\} 0.125$/m,
    )
    assert.equal(
      lines.map(({ locker, settler }) => ({ locker, settler })),
      [{ locker: LOCKER, settler: SETTLER }],
    )
  },
)

Coin(
  'of a node that does not answer, or not soon, there is no figure, and all others are told',
  async () => {
    const answers = [Promise.reject(new ChainUnavailable('down')), new Promise<number>(() => {})]
    const { text, clock } = counted({ locker: LOCKER, settler: SETTLER }, () => answers.shift()!)
    const told = text()
    await clock.advance(NODE_SILENT_MS)
    assert.not.match(await told, /^svc_key_coin\{/m)
  },
)

Coin('a process that pays for nothing says nothing', async () => {
  const { text, lines } = counted({}, async () => 1)
  assert.not.match(await text(), /^svc_key_coin\{/m)
  assert.is(lines.length, 0)
})

Coin.run()
