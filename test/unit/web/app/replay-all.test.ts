import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiFailure } from '../../../../src/web/app/api/failure.ts'
import { replayAll } from '../../../../src/web/app/pages/webhooks/replay-all.ts'

const Replay = suite('a long replay, as the page asks for it')

const { fetch } = globalThis
Replay.after(() => {
  globalThis.fetch = fetch
})

const page = (events: number, next_cursor: string | null) => ({ events, next_cursor })
const FULL = { error: { code: 'rate_limited', message: 'So many wait already.' } }
const GONE = { error: { code: 'webhook_not_found', message: 'There is none.' } }

/** The service says these in turn, and the last of them for ever. */
async function replay(...answers: readonly object[]) {
  const left = [...answers]
  const cursors: unknown[] = []
  const came: number[] = []
  let waitedMs = 0
  globalThis.fetch = async (_path, init) => {
    cursors.push(JSON.parse(String(init?.body)).cursor ?? 'the beginning')
    const answer = left.length > 1 ? left.shift()! : left[0]!
    const status = answer === FULL ? 429 : answer === GONE ? 404 : 202
    return new Response(JSON.stringify(answer), { status })
  }
  const pause = async (ms: number) => {
    waitedMs += ms
    assert.ok(waitedMs < 3_600_000, 'it waits for ever')
  }
  const way = { came: (count: number) => void came.push(count), pause }
  const end = await replayAll('wh_1', { type: 'failed' }, way).catch((error: ApiFailure) => error)
  return { end, cursors, came, waitedMs }
}

Replay('goes on where it was once the service takes more', async () => {
  const { end, cursors, came } = await replay(
    page(500, '7'),
    FULL,
    FULL,
    page(40, '9'),
    page(2, null),
  )
  assert.is(end, 542)
  assert.equal(cursors, ['the beginning', '7', '7', '7', '9'])
  assert.equal(came, [500, 540, 542])
})

Replay('waits anew after each step, however long all of it takes', async () => {
  const hour = Array.from({ length: 50 }, (_, n) => [...Array(10).fill(FULL), page(1, String(n))])
  const { end } = await replay(page(1, 'x'), ...hour.flat(), page(1, null))
  assert.is(end, 52)
})

Replay('that comes no further says why, and how far it came', async () => {
  const { end, came, waitedMs } = await replay(page(500, '7'), FULL)
  assert.ok(end instanceof ApiFailure && end.message === 'So many wait already.')
  assert.equal(came, [500])
  assert.is(waitedMs, 120_000)
})

Replay('that cannot begin, or is refused for another reason, waits for nothing', async () => {
  for (const answers of [[FULL], [page(500, '7'), GONE]]) {
    const { end, waitedMs } = await replay(...answers)
    assert.ok(end instanceof ApiFailure)
    assert.is(waitedMs, 0)
  }
})

Replay.run()
