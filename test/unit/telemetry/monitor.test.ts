import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { monitored } from '../../../src/config/monitored.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { type Monitor, openMonitor } from '../../../src/telemetry/monitor.ts'
import { freePort } from '../../integration/servers.ts'

const Monitoring = suite('telemetry: the monitoring port')

let monitor: Monitor
let missing: string[] = []
const metrics = makeMetrics()

Monitoring.before(async () => {
  const options = { host: '127.0.0.1', port: 0, metrics, missing: async () => missing }
  monitor = await openMonitor(options)
})
Monitoring.after(() => monitor.close())

const get = async (path: string, port = monitor.port) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: response.status, text: await response.text(), headers: response.headers }
}

Monitoring('counters, spans of time and gauges are shown in the format of Prometheus', async () => {
  const jobs = metrics.counter({ name: 'svc_jobs_total', help: 'Jobs.', labels: ['status'] })
  jobs.inc({ status: 'settled' })
  jobs.inc({ status: 'settled' }, 2)
  metrics.histogram({ name: 'svc_wait_seconds', help: 'Waits.' }).observe({}, 0.02)
  const slots = new Map([['a', 3]])
  metrics.gauge({ name: 'svc_slots', help: 'Slots.', labels: ['model'] }, () => slots)
  const { status, text, headers } = await get('/metrics')
  assert.is(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(text, /^svc_jobs_total\{status="settled"\} 3$/m)
  assert.match(text, /^svc_wait_seconds_bucket\{le="0.025"\} 1$/m)
  assert.match(text, /^svc_slots\{model="a"\} 3$/m)

  slots.delete('a')
  assert.not.match((await get('/metrics')).text, /svc_slots\{/)
})

Monitoring('readiness names what is missing; health is about the process alone', async () => {
  missing = ['NATS', 'Redis']
  const { status, text } = await get('/readyz')
  assert.is(status, 503)
  assert.equal(JSON.parse(text).missing, ['NATS', 'Redis'])
  assert.is((await get('/healthz')).status, 200)
  missing = []
  assert.is((await get('/readyz')).status, 200)
  assert.is((await get('/else')).status, 404)
})

/** A role that is on its way down until it is `gone`, and where it is watched. */
async function leavingRole() {
  let gone = () => {}
  const stopped = new Promise<void>((resolve) => {
    gone = resolve
  })
  const config = { MONITOR_HOST: '127.0.0.1', MONITOR_PORT: await freePort() }
  return { config, stopped, gone }
}

Monitoring('a role that goes is not ready, until its port is closed with it', async () => {
  const { config, stopped, gone } = await leavingRole()
  const role = await monitored(
    { stop: () => stopped },
    { config, metrics, missing: async () => [] },
  )
  assert.is((await get('/readyz', config.MONITOR_PORT)).status, 200)
  const stopping = role.stop()
  assert.is((await get('/readyz', config.MONITOR_PORT)).status, 503)
  gone()
  await stopping
  const refused = await get('/readyz', config.MONITOR_PORT).catch(() => 'refused')
  assert.is(refused, 'refused')
})

Monitoring('what is ready is a figure too; whoever is going down has none', async () => {
  const own = makeMetrics()
  let lacks = async (): Promise<string[]> => []
  const { config, stopped, gone } = await leavingRole()
  const role = await monitored(
    { stop: () => stopped },
    { config, metrics: own, missing: () => lacks() },
  )
  const ready = async () =>
    /^svc_ready (\d)$/m.exec((await get('/metrics', config.MONITOR_PORT)).text)?.[1]
  assert.is(await ready(), '1')
  lacks = async () => ['NATS']
  assert.is(await ready(), '0')
  lacks = async () => []
  assert.is(await ready(), '1')
  const stopping = role.stop()
  assert.is(await ready(), undefined)
  gone()
  await stopping
})

Monitoring.run()
