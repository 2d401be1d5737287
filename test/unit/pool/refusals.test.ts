import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { judge, type Outcome, rests, unknownConduct } from '../../../src/pool/registry/conduct.ts'

/** A worker that says that it is busy, where the pool knows of a free slot. */
const Refusals = suite('pool: refused as busy')
const WALLET = toAddress(`0x${'1'.repeat(40)}`)

function worker() {
  const conduct = unknownConduct()
  let at = 1_000_000
  return {
    ends: (outcome: Outcome) =>
      judge(conduct, { outcome, wallet: WALLET, why: '', at: toUnixMs(at) }),
    /** How long it rests from here; it is then rested. */
    restMs() {
      const from = at
      while (rests(conduct, WALLET, toUnixMs(at))) at += 50
      return at - from
    },
  }
}

Refusals('again and again: it rests longer each time, to eight seconds', () => {
  const { ends, restMs } = worker()
  const rested = Array.from({ length: 8 }, () => {
    ends('busy')
    return restMs()
  })
  assert.equal(rested, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
})

Refusals('many offers of one moment are one', () => {
  const { ends, restMs } = worker()
  for (let n = 0; n < 20; n++) ends('busy')
  assert.is(restMs(), 250)
})

Refusals('a job that it finishes makes up for it, and ends its rest', () => {
  const { ends, restMs } = worker()
  for (let n = 0; n < 3; n++) {
    ends('busy')
    restMs()
  }
  ends('busy')
  ends('finished')
  assert.is(restMs(), 0)
  ends('busy')
  assert.is(restMs(), 250)
})

Refusals.run()
