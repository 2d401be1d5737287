import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { whyNotOffered } from '../../../src/edge/http/not-offered.ts'

const NotOffered = suite('not offered')

NotOffered('what is planned says so', () => {
  for (const path of [
    '/v1/embeddings',
    '/v1/embeddings/',
    '/v1/images/generations',
    '/v1/images/edits',
    '/v1/images/variations',
    '/v1/auth/nonce',
    '/v1/keys',
    '/v1/api_keys/a',
  ]) {
    assert.match(whyNotOffered(path) ?? '', /planned for Phase 2/, path)
  }
})

NotOffered('what is not offered says what to use instead', () => {
  for (const path of [
    '/v1/completions',
    '/v1/responses',
    '/v1/responses/resp_1',
    '/v1/assistants',
    '/v1/threads/a/runs',
    '/v1/vector_stores',
    '/v1/files/a/content',
    '/v1/uploads',
    '/v1/batches',
    '/v1/audio/speech',
    '/v1/moderations',
    '/v1/realtime/sessions',
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/conversations',
    '/v1/videos',
    '/v1/rerank',
  ]) {
    const why = whyNotOffered(path) ?? ''
    assert.match(why, /not offered/, path)
    assert.match(why, 'POST /v1/chat/completions', path)
  }
  assert.match(whyNotOffered('/v1/fine_tuning/jobs') ?? '', 'GET /v1/models')
  for (const path of ['/v1/credits', '/v1/balance', '/v1/usage', '/v1/dashboard/billing/usage'])
    assert.match(whyNotOffered(path) ?? '', 'GET /v1/account', path)
})

NotOffered('a wrong base address is told by where it led', () => {
  for (const [path, endpoint] of [
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/', '/v1/chat/completions'],
    ['/v1/chat/completions/chat/completions', '/v1/chat/completions'],
    ['/openai/deployments/a/chat/completions', '/v1/chat/completions'],
    ['/models', '/v1/models'],
    ['/api/v1/models', '/v1/models'],
  ] as const) {
    const why = whyNotOffered(path) ?? ''
    assert.ok(why.startsWith(`The endpoint is ${endpoint}:`), path)
    assert.match(why, 'ends in `/v1`', path)
  }
})

NotOffered('nothing is made up of a path that nobody knows', () => {
  for (const path of [
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/embeddings',
    '/v2/embeddings',
    '/v1/__proto__',
  ]) {
    assert.is(whyNotOffered(path), undefined, path)
  }
})

NotOffered.run()
