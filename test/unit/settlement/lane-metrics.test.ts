import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeLaneMetrics } from '../../../actors/settlement/lane-metrics.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { job, lock } from '../../fakes/chain/intents.ts'

const Figures = suite('lane: figures')

const reverted = (text: string) =>
  [...text.matchAll(/^svc_lane_transactions_total\{(.*result="reverted")\} (\d+)$/gm)].map(
    ([, labels, value]) => `${labels} ${value}`,
  )

Figures(
  'the first revert of a process is growth: every kind of every lane begins at 0',
  async () => {
    const metrics = makeMetrics()
    const lanes = makeLaneMetrics(metrics)
    const text = await metrics.text()
    assert.equal(reverted(text), [
      'lane="lock",kind="lock",result="reverted" 0',
      'lane="settle",kind="settle",result="reverted" 0',
      'lane="settle",kind="refund",result="reverted" 0',
      'lane="settle",kind="dispute",result="reverted" 0',
      'lane="settle",kind="register",result="reverted" 0',
    ])
    const batch = { type: 'lock', items: [lock(job(1))] } as const
    lanes.included('lock', batch, { succeeded: false }, 10)
    assert.is(reverted(await metrics.text())[0], 'lane="lock",kind="lock",result="reverted" 1')
  },
)

Figures.run()
