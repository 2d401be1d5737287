import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'

const Gauges = suite('telemetry: gauges that have nothing to say')

for (const labels of [[], ['what']]) {
  Gauges(`with ${labels.length} labels: no value, and the other figures are there`, async () => {
    const metrics = makeMetrics()
    metrics.gauge({ name: 'svc_silent', help: 'Says nothing.', labels }, () => undefined)
    metrics.gauge({ name: 'svc_other', help: 'Says something.' }, () => 7)
    for (const _ of [1, 2]) {
      const text = await metrics.text()
      assert.not.match(text, /^svc_silent[ {]/m)
      assert.match(text, /^svc_other 7$/m)
    }
  })
}

Gauges.run()
