import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readJournal } from '../../../src/audit/books/read-journal.ts'
import { CannotTell } from '../../../src/audit/cannot-tell.ts'
import { type Server, startBareNats } from '../servers.ts'

const Journal = suite('audit: the journal')

let server: Server
Journal.before(async () => {
  server = await startBareNats()
})
Journal.after(() => server?.stop())

Journal(
  'where nobody answers for streams, it is asked again, and then there is no verdict',
  async () => {
    const from = performance.now()
    const why = await readJournal(server.url).catch((error: unknown) => error)
    assert.instance(why, CannotTell)
    assert.match((why as Error).message, /^NATS at 127.0.0.1:\d+ tells nothing of its streams/)
    assert.ok(performance.now() - from > 5_000, 'an election is waited for')
  },
)

Journal.run()
