import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bodyDigest, hasJoinKey, joinKeyOf } from '../../../src/edge/chat/join-key.ts'

const BODY = bodyDigest('{"model":"m"}')
function keyOf(headers: Record<string, string>, digest = BODY) {
  const key = joinKeyOf(headers, digest)
  if (!key.ok) throw new Error(key.error.message)
  return key.value
}

const Key = suite('join key')
Key('a request without either header has none, and costs no digest', () => {
  assert.is(keyOf({}), undefined)
  assert.not(hasJoinKey({ 'content-type': 'application/json' }))
  assert.ok(hasJoinKey({ 'idempotency-key': 'a' }))
  assert.ok(hasJoinKey({ 'x-stainless-retry-count': '0' }))
})
Key('an Idempotency-Key joins whatever the count, and is not stored as it is', () => {
  const named = keyOf({ 'idempotency-key': 'order-7', 'x-stainless-retry-count': '0' })!
  assert.ok(named.joins)
  assert.is(named.param, 'Idempotency-Key')
  assert.not.match(named.key, 'order-7')
  assert.is(named.key, keyOf({ 'idempotency-key': 'order-7' }, bodyDigest('other'))!.key)
  assert.is.not(named.key, keyOf({ 'idempotency-key': 'order-8' })!.key)
})
Key('an Idempotency-Key of another form is refused by name', () => {
  for (const given of ['', ' ', 'a b', 'ä', 'a\tb', 'x'.repeat(256), 'one, two']) {
    const key = joinKeyOf({ 'idempotency-key': given }, BODY)
    assert.not(key.ok, given)
    if (!key.ok)
      assert.equal([key.error.code, key.error.param], ['invalid_request', 'Idempotency-Key'])
  }
  for (const given of ['x', '!', '~', 'x'.repeat(255), '{a}', 'k:1']) {
    assert.ok(joinKeyOf({ 'idempotency-key': given }, BODY).ok, given)
  }
})
Key('a first try is written down, a later one joins by the same body', () => {
  const first = keyOf({ 'x-stainless-retry-count': '0' })!
  const second = keyOf({ 'x-stainless-retry-count': '1' })!
  assert.not(first.joins)
  assert.ok(second.joins)
  assert.is(first.key, second.key)
  assert.is.not(second.key, keyOf({ 'x-stainless-retry-count': '1' }, bodyDigest('other'))!.key)
  for (const nonsense of ['', 'x', '-1', 'NaN']) {
    assert.not(keyOf({ 'x-stainless-retry-count': nonsense })!.joins, nonsense)
  }
})
Key('a job waits for its caller as long as a client may take to come back', () => {
  const grace = (count: string) => keyOf({ 'x-stainless-retry-count': count })!.graceMs
  assert.equal(
    ['0', 'x', '1', '2', '9', '1e999'].map(grace),
    [1_000, 1_000, 1_500, 2_500, 2_500, 2_500],
  )
  assert.is(keyOf({ 'idempotency-key': 'x' })!.graceMs, 10_000)
})
Key.run()
