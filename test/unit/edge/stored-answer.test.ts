import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { outputHash } from '../../../src/domain/hash.ts'
import { makeJobId } from '../../../src/domain/ids.ts'
import { readStoredAnswer } from '../../../src/edge/waiting/stored-answer.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'
import { MemoryOutputs } from '../../fakes/memory-outputs.ts'

const Stored = suite('edge: the stored answer')

/** Somebody asks for the answer `one`. */
function asking(settled: () => boolean = () => false) {
  const [clock, outputs] = [new ManualClock(), new MemoryOutputs()]
  const jobId = makeJobId(clock.now(), new Uint8Array(16))
  const log = makeLog('test', 'silent')
  let answer: unknown
  void readStoredAnswer({
    ...{ jobId, hash: outputHash('one'), outputs, clock, log, settled, firstAfterMs: 0 },
  }).then((read) => {
    answer = read
  })
  return { clock, put: (text: string) => outputs.putAnswer(jobId, text), answer: () => answer }
}

Stored('one that is written a moment later is waited for', async () => {
  const { clock, put, answer } = asking()
  await clock.advance(3_000)
  assert.is(answer(), undefined)
  await put('one')
  await clock.advance(500)
  assert.equal(answer(), { text: 'one' })
})

Stored('the text of an attempt that the job has not taken is never given for it', async () => {
  const { clock, put, answer } = asking()
  await put('another')
  await clock.advance(13_000)
  assert.is(answer(), 'gone')
})

Stored('nor does it hide the one that follows it', async () => {
  const { clock, put, answer } = asking()
  await put('another')
  await clock.advance(1_000)
  await put('one')
  await clock.advance(500)
  assert.equal(answer(), { text: 'one' })
})

Stored('nothing is read any more once the answer has come otherwise', async () => {
  const { clock, put, answer } = asking(() => true)
  await put('one')
  await clock.advance(100)
  assert.is(answer(), 'gone')
})

Stored.run()
