import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash, publicHash } from '../../../../src/domain/hash.ts'
import type { JobStatus, JobView } from '../../../../src/messages/job-view.ts'
import { publicJob } from '../../../../src/messages/public-job.ts'
import type { JobMomentName } from '../../../../src/web/api.ts'
import { disputeCame } from '../../../../src/web/app/pages/job/dispute-came.ts'
import { insteadOfLock, insteadOfTime } from '../../../../src/web/app/pages/job/not-there.ts'
import { textHash } from '../../../../src/web/app/pages/job/text-hash.ts'
import { pagesAround, searchOf, toParams } from '../../../../src/web/app/pages/jobs/jobs-search.ts'
import { priceInWords } from '../../../../src/web/app/pages/playground/price.ts'
import { sseData } from '../../../../src/web/app/pages/playground/sse-data.ts'
import { isPriced } from '../../../../src/web/app/parts/is-priced.ts'
import { jobAt, OWNER, viewOf } from '../../../fakes/jobs/views.ts'

const Jobs = suite('jobs in the web app')

Jobs('a text has the hash that workers sign', () => {
  for (const text of ['Hello', 'Hello\n\n', '  spaces \n x', 'Größe 🎉 漢字', '\ud800 alone', '']) {
    assert.is(textHash(text), publicHash(outputHash(text)), JSON.stringify(text))
  }
})

const page = (has_more: boolean, ...ids: string[]) => ({
  data: ids.map((id) => ({ id })),
  has_more,
})

Jobs('the newest page leads to older ones only, and keeps its filters', () => {
  assert.equal(pagesAround({ status: 'settled', model: 'm' }, page(true, 'c', 'b')), {
    newest: undefined,
    newer: undefined,
    older: { status: 'settled', model: 'm', before: 'b' },
  })
  assert.is(pagesAround({}, page(false, 'c', 'b')).older, undefined)
})

Jobs('an older page leads back, and further while there is more', () => {
  const none = { status: undefined, model: undefined }
  const middle = pagesAround({ before: 'c' }, page(true, 'b', 'a'))
  assert.equal(middle, {
    newest: none,
    newer: { ...none, after: 'b' },
    older: { ...none, before: 'a' },
  })
  assert.is(pagesAround({ before: 'c' }, page(false, 'b')).older, undefined)
})

Jobs('a page towards newer ones always has older ones behind it', () => {
  const { newer, older } = pagesAround({ after: 'a' }, page(false, 'c', 'b'))
  assert.is(newer, undefined)
  assert.is(older?.before, 'b')
  assert.is(pagesAround({ after: 'a' }, page(true, 'c', 'b')).newer?.after, 'c')
})

Jobs('an empty page leads to the newest', () => {
  const { newest, newer, older } = pagesAround({ after: 'z' }, page(false))
  assert.ok(newest)
  assert.equal([newer, older], [undefined, undefined])
})

Jobs('an address that holds something else asks for nothing else', () => {
  const search = searchOf({ status: 'failed', before: 3, other: 'x' })
  assert.equal(search, { status: 'failed' })
  assert.is(toParams(search).toString(), 'limit=20&status=failed')
})

const seen = (status: JobStatus, more: Partial<JobView> = {}) =>
  publicJob(viewOf(jobAt(1), status, more), OWNER)

Jobs('what is charged is said from the settlement on, and not as nothing before', () => {
  for (const status of ['pending', 'processing', 'settling'] as const) {
    assert.is(isPriced(seen(status)), false, status)
  }
  for (const status of ['settled', 'disputed', 'failed', 'refunded'] as const) {
    assert.is(isPriced(seen(status)), true, status)
  }
  const before = seen('disputed', { settlementTx: null })
  assert.is(before.credits_charged, 0)
  assert.is(isPriced(before), false, 'disputed before its settlement')
})

Jobs('a dispute is said to be open until the job tells what came of it', () => {
  const came = (status: JobStatus, event?: JobMomentName, more: Partial<JobView> = {}) => {
    const moments = event ? [{ event, at: null, tx: null, block_number: null }] : []
    return disputeCame({ job: seen(status, more), timeline: moments, disputable_until: null })
  }
  assert.is(came('disputed', 'disputed'), 'open')
  assert.is(came('disputed', undefined, { settlementTx: null }), 'open', 'waits for the settlement')
  assert.is(came('refunded', 'dispute_upheld'), 'over')
  assert.is(came('settled', 'dispute_rejected'), 'over')
  assert.is(came('failed', 'failed'), 'over', 'gone with what it contested')
  assert.is(came('settled', 'settled'), 'refused')
})

Jobs('what never comes is not said to be awaited', () => {
  assert.match(insteadOfTime('failed'), /not kept/)
  assert.match(insteadOfTime('locked'), /not known yet/)
  const never = { escrowTx: null, refundTx: null }
  for (const status of ['failed', 'refunded'] as const) {
    assert.is(insteadOfLock(seen(status, never)), 'none on the chain', status)
    assert.is(insteadOfLock(seen(status, { refundTx: null })), undefined, `${status}: its return`)
    assert.is(insteadOfLock(seen(status, { escrowTx: null })), undefined, `${status}: its lock`)
  }
  for (const status of ['pending', 'processing', 'settling'] as const) {
    assert.is(insteadOfLock(seen(status, never)), undefined, status)
  }
})

Jobs('the price is said as the service locks it', () => {
  assert.is(
    priceInWords('standard', 500),
    'Sending costs 8 credits (0.08 USDG), locked until the answer is there.',
  )
  assert.match(priceInWords('standard', 501), /8 to 9 credits \(at most 0.09 USDG\): 9 credits are/)
  assert.match(priceInWords('huge', 1), /reload the page/)
})

Jobs('events of a stream come whole, however it is cut', async () => {
  const bytes = new TextEncoder().encode('data: {"a":"ü"}\n\n:\n\ndata: b\n\ndata: cut off')
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) {
          controller.enqueue(bytes.subarray(at, at + size))
        }
        controller.close()
      },
    })
    const seen: string[] = []
    for await (const data of sseData(stream)) seen.push(data)
    assert.equal(seen, ['{"a":"ü"}', 'b'])
  }
})

Jobs.run()
