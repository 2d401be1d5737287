import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobCommand } from '../../../src/messages/job.ts'
import { mayCommand } from '../../../src/messages/job-senders.ts'
import { SENDERS, SUBJECTS } from '../../../src/messages/subjects.ts'
import { job } from '../../fakes/chain/intents.ts'
import { at, jobId, start } from '../actors/given.ts'

/** What the owner of a job lets whom say. */
const Senders = suite('who may say what to a job')
const get: JobCommand = { type: 'GetJob', jobId }

Senders('each its own, and nobody what is for others', () => {
  const may = (command: JobCommand) =>
    SENDERS.filter((sender) => mayCommand(SUBJECTS.jobCommand(jobId, sender), command))
  assert.equal(may(start), ['house', 'edge'])
  assert.equal(may(get), ['house', 'edge', 'web', 'pool'])
  assert.equal(may({ type: 'ExpireJob', jobId, at }), ['house'])
})

Senders('an address that is no edge is not answered at', () => {
  const subject = SUBJECTS.jobCommand(jobId, 'edge')
  const astray = { ...start, replyTo: 'lane.settle' } as JobCommand
  assert.not.ok(mayCommand(subject, astray))
})

Senders('a job is told nothing of another', () => {
  assert.not.ok(mayCommand(SUBJECTS.jobCommand(job(7), 'edge'), start))
  const misplaced = SUBJECTS.jobCommand(jobId, 'edge').replace(/^cmd\.\d+/, 'cmd.99')
  assert.not.ok(mayCommand(misplaced, start))
})

Senders.run()
