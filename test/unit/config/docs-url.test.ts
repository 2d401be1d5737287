import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError, readConfig } from '../../../src/config/read.ts'
import { edgeSchema } from '../../../src/config/schema.ts'

const DocsUrl = suite('config: DOCS_URL')
const read = (DOCS_URL?: string) => readConfig(edgeSchema, { DOCS_URL }).DOCS_URL

DocsUrl('left out, or with a slash at its end: links can be put together from it', () => {
  assert.is(read(), 'http://127.0.0.1:8080/docs')
  assert.is(read('https://docs.example.com/'), 'https://docs.example.com')
  assert.is(read('https://example.com/docs//'), 'https://example.com/docs')
})

DocsUrl('what is no address of a site ends the start, by name', () => {
  for (const wrong of ['docs', '/docs', 'ftp://docs.example.com', 'javascript:alert(1)']) {
    const failed = (error: unknown) =>
      error instanceof ConfigError && /DOCS_URL: must be an http/.test(error.message)
    assert.throws(() => read(wrong), failed, wrong)
  }
})

DocsUrl.run()
