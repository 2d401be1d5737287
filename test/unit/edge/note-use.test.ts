import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toUnixMs } from '../../../src/domain/time.ts'
import { makeNoteUse } from '../../../src/edge/callers/note-use.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

const NoteUse = suite('note of the use of a key')

function open(note: () => Promise<void> = async () => {}) {
  let at = 0
  const noted: string[] = []
  const keyUses = {
    note: async (hash: string, when: number) => {
      noted.push(`${hash} ${when}`)
      await note()
    },
    lastUse: async () => null,
  }
  const clock = { ...systemClock, now: () => toUnixMs(at), monotonic: () => at }
  const noteUse = makeNoteUse({ keyUses, clock, log: pino({ level: 'silent' }) })
  const noteAt = (hash: string, when: number) => {
    at = when
    noteUse(hash)
  }
  return { noted, noteAt }
}

NoteUse('given many uses: one note a minute and key', () => {
  const { noted, noteAt } = open()
  for (const at of [0, 1, 59_999]) noteAt('a', at)
  noteAt('b', 59_999)
  noteAt('a', 60_000)
  assert.equal(noted, ['a 0', 'b 59999', 'a 60000'])
})

NoteUse('given a store that is away: nobody notices, and the next minute tries again', async () => {
  const { noted, noteAt } = open(async () => {
    throw new Error('away')
  })
  noteAt('a', 0)
  await new Promise((resolve) => setImmediate(resolve))
  noteAt('a', 60_000)
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(noted.length, 2)
})

NoteUse.run()
