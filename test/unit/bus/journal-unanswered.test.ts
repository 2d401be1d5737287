import type { JetStreamClient, JetStreamManager } from 'nats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeJournal } from '../../../src/bus/streams/journal.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { until } from '../../until.ts'

/** What a journal does while the server takes nothing. */
const Unanswered = suite('journal: a server that takes nothing')

const JOBS = 100
const TRIES = 3

Unanswered(
  'however many jobs try again, it is told once, and each is written in the end',
  async () => {
    const lines: Record<string, unknown>[] = []
    const log = makeLog('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })
    const tried = new Map<string, number>()
    const publish = async (subject: string) => {
      const before = tried.get(subject) ?? 0
      tried.set(subject, before + 1)
      if (before < TRIES) throw new Error('insufficient resources')
      return { seq: 7 }
    }
    const js = { publish } as unknown as JetStreamClient
    const journal = makeJournal({ stream: 'JOB', js, jsm: {} as JetStreamManager, log })
    const written: (number | 'conflict')[] = []
    for (let i = 0; i < JOBS; i++) {
      void journal.append(`job.${i}`, 0, { token: 't', body: {} }).then((at) => written.push(at))
    }
    await until('all are written', () => written.length === JOBS, 10_000)
    assert.ok(written.every((at) => at === 7))
    assert.equal(
      lines.map(({ msg }) => msg),
      ['journal: append not answered, trying again'],
    )
  },
)

Unanswered.run()
