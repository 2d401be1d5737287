import { QueryClient } from '@tanstack/react-query'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { call, speakFor } from '../../../../src/web/app/api/call.ts'
import { beginSession, endIfOver, endSession, learn } from '../../../../src/web/app/api/client.ts'
import { Unreachable } from '../../../../src/web/app/api/failure.ts'
import { sessionQuery, settingsQuery } from '../../../../src/web/app/api/queries.ts'
import { wasSignedIn } from '../../../../src/web/app/api/signed-in-before.ts'

const LateAnswers = suite('answers that come late')

const { fetch } = globalThis
let answer: (response: Response) => void = () => {}
LateAnswers.before.each(() => {
  globalThis.fetch = () =>
    new Promise((resolve) => {
      answer = resolve
    })
})
LateAnswers.after(() => {
  globalThis.fetch = fetch
  speakFor(null)
})

const sessionOf = (digit: string) => ({
  wallet: `0x${digit.repeat(40)}` as const,
  expires_at: '2026-11-28T12:00:00Z',
})
const key = () => Response.json({ key: 'of the first' })

LateAnswers('for a wallet that is no longer the one shown, say nothing', async () => {
  speakFor('0xa')
  const asked = call('POST', '/key')
  speakFor('0xb')
  answer(key())
  const error = await asked.then(() => undefined).catch((each: unknown) => each)
  assert.instance(error, Unreachable)
  assert.ok((error as Unreachable).wasSent)
})

LateAnswers('that a session is over do not end that of the next wallet', async () => {
  speakFor('0xa')
  const asked = call('GET', '/account')
  speakFor('0xb')
  answer(new Response('{}', { status: 401 }))
  assert.instance(await asked.catch((each: unknown) => each), Unreachable)
})

LateAnswers('for a session that ended meanwhile are there for the same wallet', async () => {
  speakFor('0xa')
  const asked = call('POST', '/key')
  speakFor(null)
  answer(key())
  assert.equal(await asked, { key: 'of the first' })
})

LateAnswers('for one wallet, after its session, are gone when another signs in', () => {
  const client = new QueryClient()
  beginSession(client, sessionOf('a'))
  endSession(client)
  client.setQueryData(['key'], { hint: 'of the first' })
  client.setQueryData(['config'], { session_hours: 12 })
  beginSession(client, sessionOf('b'))
  assert.is(client.getQueryData(['key']), undefined)
  assert.equal(client.getQueryData(['config']), { session_hours: 12 })
})

LateAnswers('of a wallet to an older question: the page begins anew', () => {
  const client = new QueryClient()
  let reloads = 0
  const browser = globalThis as { location?: { reload(): void } }
  browser.location = { reload: () => void reloads++ }
  beginSession(client, sessionOf('a'))
  beginSession(client, sessionOf('b'))
  assert.is(reloads, 1)
  assert.equal(client.getQueryData(sessionQuery.queryKey), sessionOf('a'))
  beginSession(client, sessionOf('a'))
  assert.is(reloads, 1)
})

LateAnswers(
  'at the end of a session: one that was begun in another tab goes on here, too',
  async () => {
    const client = new QueryClient()
    const over = sessionOf('a')
    const begun = { ...over, expires_at: '2026-11-29T00:00:05Z' }
    beginSession(client, over)
    const asked = endIfOver(client, over)
    answer(Response.json(begun))
    await asked
    assert.equal(client.getQueryData(sessionQuery.queryKey), begun)
    assert.ok(wasSignedIn(), 'no other tab is told of an end')

    const askedAgain = endIfOver(client, begun)
    answer(new Response('{"error":{"code":"session_required","message":"no"}}', { status: 401 }))
    await askedAgain
    assert.is(client.getQueryData(sessionQuery.queryKey), null)
  },
)

LateAnswers('at the end of a session: whoever has signed in here meanwhile stays so', async () => {
  const client = new QueryClient()
  const over = sessionOf('a')
  beginSession(client, over)
  const asked = endIfOver(client, over)
  endSession(client)
  const begun = { ...over, expires_at: '2026-11-29T00:00:05Z' }
  beginSession(client, begun)
  answer(new Response('{}', { status: 401 }))
  await asked
  assert.equal(client.getQueryData(sessionQuery.queryKey), begun)
})

LateAnswers('do not take back what was changed while they were asked for', async () => {
  const client = new QueryClient()
  let tell: (old: { low_threshold: number }) => void = () => {}
  const asked = client.fetchQuery({
    ...settingsQuery,
    queryFn: () => new Promise<{ low_threshold: number }>((resolve) => (tell = resolve)),
  })
  const given = asked.catch((error: unknown) => error)
  await learn(client, settingsQuery, { low_threshold: 250 })
  tell({ low_threshold: 100 })
  await given
  assert.equal(client.getQueryData(settingsQuery.queryKey), { low_threshold: 250 })
})

LateAnswers.run()
