import { status } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Patience } from '../../../src/worker/patience.ts'

const Waits = suite('worker: how long it waits before the next dial')

const AWAY = { welcomed: false, code: status.UNAVAILABLE, isSpoken: true }
const REFUSED = { ...AWAY, code: status.FAILED_PRECONDITION }
const OLDER = { ...REFUSED, isSpoken: false }
const LOST = { ...AWAY, welcomed: true }

/** A part of it is chance, so that not all dial at once: at least half. */
const isAbout = (waitMs: number, fullMs: number, what: string) =>
  assert.ok(waitMs >= fullMs / 2 && waitMs <= fullMs, `${what}: ${waitMs} of ${fullMs} ms`)

Waits('hardly at all while there is a pool to try, then twice as long each round', () => {
  const patience = new Patience()
  for (const fullMs of [200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
    isAbout(patience.waitMs(AWAY, false), 100, 'another pool')
    isAbout(patience.waitMs(AWAY, true), fullMs, 'the round')
  }
})

Waits('a pool that has had us is dialled again at once, and all is forgotten', () => {
  const patience = new Patience()
  for (let round = 0; round < 9; round++) patience.waitMs(AWAY, true)
  isAbout(patience.waitMs(LOST, true), 100, 'lost')
  isAbout(patience.waitMs(AWAY, true), 200, 'away since')
})

Waits('where no pool takes us for a reason that lasts, none is asked again soon', () => {
  const patience = new Patience()
  isAbout(patience.waitMs(REFUSED, true), 5_000, 'refused')
  isAbout(patience.waitMs({ ...LOST, code: REFUSED.code }, true), 5_000, 'sent away for good')
  patience.waitMs(AWAY, false)
  isAbout(patience.waitMs(REFUSED, true), 200, 'one of them is only away')
  isAbout(patience.waitMs(REFUSED, true), 5_000, 'which counts for its own round')
})

Waits('two agents of one key do not throw each other out in turn, however many pools', () => {
  isAbout(new Patience().waitMs({ ...LOST, code: status.ABORTED }, false), 5_000, 'replaced')
})

Waits('where no pool speaks a version of ours, for a minute', () => {
  const patience = new Patience()
  isAbout(patience.waitMs(OLDER, false), 100, 'another pool')
  isAbout(patience.waitMs(OLDER, true), 60_000, 'none of them')
  patience.waitMs(OLDER, false)
  isAbout(patience.waitMs(AWAY, true), 200, 'one that does is only away')
})

Waits.run()
