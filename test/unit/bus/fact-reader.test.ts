import { type JetStreamManager, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encode } from '../../../src/bus/codec.ts'
import { makeFactReader } from '../../../src/bus/streams/fact-reader.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { SUBJECTS } from '../../../src/messages/subjects.ts'
import type { FactCursor } from '../../../src/ports/fact-reader.ts'

const Reading = suite('facts, read one by one')

const MESSAGE_NOT_FOUND = 10_037
const wallet = toAddress(`0x${'1'.repeat(40)}`)
const other = toAddress(`0x${'2'.repeat(40)}`)
const SUBJECT = {
  own: SUBJECTS.fact(wallet, 'job.completed'),
  workers: SUBJECTS.workerFact(other, 'worker.registered'),
  others: SUBJECTS.fact(other, 'job.completed'),
}
const storedAt = (place: number) => 1_800_000_000_000 + place * 1_000

/** Stream FACT: whose fact has which sequence, and what is stored before the next question. */
function stream(...kinds: (keyof typeof SUBJECT)[]) {
  const held = { name: 'first', kinds, first: 1, meanwhile: () => {} }
  const isOf = (subject: string, filter: string) =>
    subject.startsWith(filter.slice(0, filter.search(/[*>]/)))
  const getMessage = async (
    _stream: string,
    { seq, next_by_subj: filter }: { seq: number; next_by_subj: string },
  ) => {
    held.meanwhile()
    held.meanwhile = () => {}
    for (let at = Math.max(seq, held.first); at <= held.kinds.length; at++) {
      const subject = SUBJECT[held.kinds[at - 1]!]
      if (!isOf(subject, filter)) continue
      const data = encode({ id: `${held.name} ${at}` })
      return { seq: at, time: new Date(storedAt(at)), data }
    }
    const error = new NatsError('no message found', '404')
    error.api_error = { code: 404, err_code: MESSAGE_NOT_FOUND, description: 'no message found' }
    throw error
  }
  const info = async () => ({ state: { first_seq: held.first, last_seq: held.kinds.length } })
  const jsm = { streams: { info, getMessage } } as unknown as JetStreamManager
  return { held, reader: makeFactReader({ stream: 'FACT', jsm }) }
}

/** All that there is now. */
async function read(cursor: FactCursor): Promise<string[]> {
  const ids: string[] = []
  for (let next = await cursor.next(); next; next = await cursor.next()) ids.push(next.fact.id)
  return ids
}

Reading('what a wallet may see, in the order in which it was stored', async () => {
  const { held, reader } = stream('own', 'others', 'workers', 'own', 'workers', 'others')
  const cursor = reader.open(wallet, 0)
  assert.equal(await read(cursor), ['first 1', 'first 3', 'first 4', 'first 5'])
  assert.is(cursor.position, 6, 'what others were told is behind it as well')
  held.kinds = [...held.kinds, 'others', 'own']
  assert.equal(await read(cursor), ['first 8'])
  assert.equal(await read(reader.open(wallet, 4)), ['first 5', 'first 8'])
})

Reading('an older fact of the other subject is not passed over for a newer one', async () => {
  const { held, reader } = stream('others')
  const cursor = reader.open(wallet, 0)
  // Stored between the two questions: only one of them sees it.
  held.meanwhile = () => {
    held.kinds = [...held.kinds, 'workers', 'own']
  }
  assert.equal([...(await read(cursor)), ...(await read(cursor))], ['first 2', 'first 3'])
})

Reading('a stream that was made anew is read from its beginning, and nothing else', async () => {
  const { held, reader } = stream('others', 'others')
  const cursor = reader.open(wallet, 0)
  // It was found, and is newer than what was there when that was asked.
  held.meanwhile = () => {
    held.kinds = [...held.kinds, 'own']
  }
  assert.is(await cursor.next(), undefined)
  Object.assign(held, { name: 'second', kinds: ['others'] })
  assert.is(await cursor.next(), undefined)
  assert.is(cursor.position, 1)
  held.kinds = ['others', 'own', 'own', 'others']
  assert.equal(await read(cursor), ['second 2', 'second 3'])
})

Reading('the first fact that is not older than a moment', async () => {
  const { held, reader } = stream('own', 'others', 'workers', 'own')
  const since = (at: number) => reader.since(toUnixMs(at))
  held.first = 2
  assert.is(await since(0), 2, 'older ones are gone')
  assert.is(await since(storedAt(3)), 3)
  assert.is(await since(storedAt(3) + 1), 4)
  assert.is(await since(storedAt(9)), 5, 'the next one')
})

Reading.run()
