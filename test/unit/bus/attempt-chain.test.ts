import { ErrorCode, NatsError } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Chains, type Linked } from '../../../src/bus/streams/attempt-chain.ts'

/** Messages of a subject that name one another, written by several processes. */
const Chained = suite('chains of messages')

const MESSAGE_NOT_FOUND = 10_037
const WRONG_LAST_SEQUENCE = 10_071

interface Content extends Linked {
  readonly said: string
}

function refusal(code: number): NatsError {
  const error = new NatsError('refused', '400')
  error.api_error = { code: 400, err_code: code, description: 'refused' }
  return error
}

/** A stream in memory. Of the writes in `unanswered` nobody hears what became of them. */
class Stream {
  readonly messages: { subject: string; seq: number; data: Uint8Array }[] = []
  readonly unanswered: ('stored' | 'lost')[] = []
  isAway = false
  #seq = 0

  /** As one process sees it. */
  chains(): Chains {
    const js = {
      publish: async (
        subject: string,
        data: Uint8Array,
        { expect }: { expect: { lastSubjectSequence: number } },
      ) => {
        const last = this.messages.findLast((each) => each.subject === subject)?.seq ?? 0
        if (expect.lastSubjectSequence !== last) throw refusal(WRONG_LAST_SEQUENCE)
        const unanswered = this.unanswered.shift()
        if (unanswered !== 'lost') this.messages.push({ subject, seq: ++this.#seq, data })
        if (unanswered) throw new NatsError('TIMEOUT', ErrorCode.Timeout)
        return { seq: this.#seq }
      },
    }
    const getMessage = async (_: string, query: { seq?: number; last_by_subj?: string }) => {
      if (this.isAway) throw new NatsError('TIMEOUT', ErrorCode.Timeout)
      const found = this.messages.findLast(
        ({ seq, subject }) => seq === query.seq || subject === query.last_by_subj,
      )
      if (!found) throw refusal(MESSAGE_NOT_FOUND)
      return found
    }
    return new Chains({ stream: 'ATTEMPT', js, jsm: { streams: { getMessage } } } as never)
  }
}

async function walked(chains: Chains, cursor?: string, most = 100) {
  const found = await chains.walk<Content>('a', cursor, most)
  return { said: found.links.map(({ content }) => content.said), cursor: found.cursor }
}

Chained(
  'what several processes write at once is one chain, and no other subject is in it',
  async () => {
    const stream = new Stream()
    const [one, other] = [stream.chains(), stream.chains()]
    const writes = Array.from({ length: 12 }, (_, i) =>
      (i % 2 === 0 ? one : other).append(i % 3 === 0 ? 'b' : 'a', { said: `${i}` }),
    )
    assert.is(new Set(await Promise.all(writes)).size, 12)
    const { said, cursor } = await walked(stream.chains())
    assert.equal(said.toSorted(), ['1', '10', '11', '2', '4', '5', '7', '8'])
    assert.is(cursor, null)
  },
)

Chained('it is read from the newest on, page by page', async () => {
  const stream = new Stream()
  const chains = stream.chains()
  for (const said of ['1', '2', '3', '4']) await chains.append('a', { said })
  const first = await walked(chains, undefined, 2)
  assert.equal(first.said, ['4', '3'])
  assert.equal(await walked(chains, first.cursor!, 2), { said: ['2', '1'], cursor: null })
})

for (const outcome of ['stored', 'lost'] as const) {
  Chained(`a write that was not answered breaks no chain: ${outcome}`, async () => {
    const stream = new Stream()
    const chains = stream.chains()
    await chains.append('a', { said: '1' })
    stream.unanswered.push(outcome)
    const [second, third] = await Promise.allSettled([
      chains.append('a', { said: '2' }),
      chains.append('a', { said: '3' }),
    ])
    assert.equal([second.status, third.status], ['rejected', 'fulfilled'])
    const { said } = await walked(chains)
    assert.equal(said, outcome === 'stored' ? ['3', '2', '1'] : ['3', '1'])
  })
}

Chained('it ends where the rest has aged out; what is none of it is not found in it', async () => {
  const stream = new Stream()
  const chains = stream.chains()
  for (const said of ['1', '2', '3']) await chains.append('a', { said })
  const elsewhere = await chains.append('b', { said: 'b' })
  stream.messages.shift()
  assert.equal(await walked(chains), { said: ['3', '2'], cursor: null })
  for (const cursor of [String(elsewhere), '1', 'no number', '-1', '1.5']) {
    assert.equal(await walked(chains, cursor), { said: [], cursor: null })
  }
})

Chained('where the stream cannot be read, nobody says that it is empty', async () => {
  const stream = new Stream()
  const chains = stream.chains()
  await chains.append('a', { said: '1' })
  stream.isAway = true
  assert.instance(await walked(chains).catch((error: unknown) => error), NatsError)
})

Chained.run()
