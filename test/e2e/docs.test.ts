import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PAGES } from '../../src/edge/docs/pages.ts'
import { type Network, startNetwork } from '../network/network.ts'
import { chat, firstCustomer } from './customer.ts'
import { examplesOf, isRunnable, runExample } from './doc-examples.ts'

/** A reader who copies the examples of the reference, one after the other, and runs them. */
const Docs = suite('docs')

let network: Network
const ran = new Map<string, number>()

Docs.before(async () => {
  network = await startNetwork()
})
Docs.after(() => network?.stop())

for (const { name } of PAGES) {
  Docs(`${name}: its examples run as they stand`, async () => {
    const page = await fetch(`${network.docs_url}/api-reference/${name}`)
    assert.is(page.status, 200)
    const examples = examplesOf(await page.text()).filter(isRunnable)
    for (const example of examples) {
      const { language, code } = example
      assert.match(code, network.base_url, 'an example names the host that serves it')
      assert.not.match(code, network.api_key)
      const { code: exit, said } = await runExample(example, network.api_key)
      assert.is(exit, 0, `${language}:\n${code}\nsaid:\n${said}`)
      check(name, language, said)
      ran.set(language, (ran.get(language) ?? 0) + 1)
    }
  })
}

/** What an example shows, where that can be told from its words. */
function check(page: string, language: string, said: string): void {
  if (language === 'python') return
  assert.not.match(said, network.api_key)
  if (page === 'disputes') assert.match(said, /the hashes agree|"dispute_opened":false/)
  if (page === 'retries' && language === 'js') assert.match(said, 'one job')
  if (page === 'retries' && language === 'sh') {
    const ids = said.match(/job_[0-9a-z]{26}/g) ?? []
    assert.is(ids.length, 2)
    assert.is(ids[0], ids[1], 'one job, however often it is asked')
  }
  if (page === 'account') assert.match(said, /credits/)
  if (page === 'models') assert.match(said, 'Qwen/Qwen3-8B')
  if (page === 'chat-completions') assert.match(said, /job_[0-9a-z]{26}/)
}

Docs('there were examples in each language', () => {
  assert.ok((ran.get('sh') ?? 0) >= 8, 'curl')
  assert.ok((ran.get('js') ?? 0) >= 8, 'Node')
})

Docs('the link of an error leads to the place that explains it', async () => {
  const answer = await chat(firstCustomer(network), { messages: [] })
  const { error } = JSON.parse(answer.text)
  const page = await fetch(error.docs)
  assert.is(page.status, 200)
  assert.match(await page.text(), `id="${new URL(error.docs).hash.slice(1)}"`)
})

Docs('the OpenAPI document is there for everyone, without a key', async () => {
  const answer = await fetch(`${network.base_url}/openapi.json`)
  const document = (await answer.json()) as { openapi: string; servers: { url: string }[] }
  assert.is(document.openapi, '3.1.0')
  assert.equal(document.servers, [{ url: network.base_url }])
})

Docs.run()
