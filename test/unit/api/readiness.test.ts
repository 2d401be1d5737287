import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { missingOf } from '../../../src/api/http/readiness.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock } from '../../fakes/chain/manual-clock.ts'

const Readiness = suite('http: readiness')

Readiness('however often strangers ask, what is away is logged once in ten seconds', async () => {
  const clock = new ManualClock()
  const lines: Record<string, unknown>[] = []
  const log = makeLog('test', 'info', { write: (line) => lines.push(JSON.parse(line)) })
  const away = (what: string) => ({ what, isThere: () => Promise.reject(new Error(what)) })
  const there = { what: 'the catalogue', isThere: () => true }
  const missing = missingOf([away('NATS'), away('Redis'), there], { clock, log })
  for (let i = 0; i < 50; i++) assert.equal(await missing(), ['NATS', 'Redis'])
  const told = () => lines.map(({ msg, what, moreBefore }) => [msg, what, moreBefore])
  assert.equal(told(), [
    ['not ready', 'NATS', undefined],
    ['not ready', 'Redis', undefined],
  ])
  await clock.advance(10_000)
  await missing()
  assert.equal(told().slice(2), [
    ['not ready', 'NATS', 49],
    ['not ready', 'Redis', 49],
  ])
})

Readiness.run()
