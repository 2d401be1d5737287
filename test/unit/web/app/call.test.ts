import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { call } from '../../../../src/web/app/api/call.ts'
import { explain } from '../../../../src/web/app/api/explain.ts'

const Call = suite('a call of the API of the web app')

const { fetch } = globalThis
Call.before(() => {
  globalThis.fetch = async () => {
    throw new TypeError('Failed to fetch')
  }
})
Call.after(() => {
  globalThis.fetch = fetch
})

const adviceAfter = (method: 'GET' | 'POST', path: string): Promise<string> =>
  call(method, path).then(
    () => assert.unreachable() as never,
    (error: unknown) => explain(error).todo,
  )

Call('without an answer: whether something may have been done all the same', async () => {
  assert.match(await adviceAfter('POST', '/withdrawals'), /look at your balance and history/)
  assert.match(await adviceAfter('POST', '/webhooks'), /done all the same: look whether it was/)
  assert.match(await adviceAfter('GET', '/account'), /Nothing was changed/)
})

Call('without an answer at the sign-in: nobody is sent to a balance they cannot see', async () => {
  assert.match(await adviceAfter('POST', '/session/nonce'), /Nothing was changed/)
  assert.match(await adviceAfter('POST', '/session'), /Nothing was changed/)
})

Call.run()
