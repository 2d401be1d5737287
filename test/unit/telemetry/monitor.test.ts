import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { monitored } from '../../../src/config/monitored.ts'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { makeMetrics } from '../../../src/telemetry/metrics.ts'
import { type Monitor, openMonitor } from '../../../src/telemetry/monitor.ts'
import { freePort } from '../../integration/servers.ts'
import { until } from '../../until.ts'

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

Monitoring('while a role starts, its port is open and names whom it waits for', async () => {
  const own = makeMetrics()
  const { config } = await leavingRole()
  const [nats, redis, rest] = [later(), later(), later()]
  const starting = monitored({ config, metrics: own }, async ({ until }) => {
    await Promise.all([until('NATS', nats.comes), until('Redis', redis.comes)])
    await rest.comes
    return { stop: async () => {}, missing: async () => ['the pools'] }
  })
  const lacks = async () => JSON.parse((await get('/readyz', config.MONITOR_PORT)).text).missing
  await until('the port is open', () => get('/healthz', config.MONITOR_PORT).catch(() => undefined))
  assert.equal(await lacks(), ['NATS', 'Redis'])
  assert.is((await get('/readyz', config.MONITOR_PORT)).status, 503)
  assert.is((await get('/healthz', config.MONITOR_PORT)).status, 200)
  assert.match((await get('/metrics', config.MONITOR_PORT)).text, /^svc_ready 0$/m)
  nats.come()
  await until('NATS is there', async () => (await lacks()).join() === 'Redis')
  redis.come()
  await until('both are there', async () => /^its streams/.test((await lacks()).join()))
  rest.come()
  const role = await starting
  assert.equal(await lacks(), ['the pools'])
  await role.stop()
})

Monitoring('a role that cannot start leaves no port behind, nor starts without one', async () => {
  const { config } = await leavingRole()
  const start = () =>
    monitored({ config, metrics: makeMetrics() }, () => Promise.reject(Error('no')))
  for (const _ of [1, 2]) assert.is(await start().catch(({ message }) => message), 'no')
  const taken = { ...config, MONITOR_PORT: monitor.port }
  const refused = await monitored({ config: taken, metrics: makeMetrics() }, () =>
    Promise.reject(Error('it began to start')),
  ).catch((error: Error) => error)
  assert.instance(refused, OperatorError)
  assert.match((refused as Error).message, /^MONITOR_HOST, MONITOR_PORT: .*EADDRINUSE/)
})

/** Something that comes when it is told to. */
function later() {
  let come = () => {}
  const comes = new Promise<void>((resolve) => {
    come = resolve
  })
  return { comes, come: () => come() }
}

Monitoring('a role that goes is not ready, until its port is closed with it', async () => {
  const { config, stopped, gone } = await leavingRole()
  const role = await monitored({ config, metrics: makeMetrics() }, async () => ({
    stop: () => stopped,
    missing: async () => [],
  }))
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
  const role = await monitored({ config, metrics: own }, async () => ({
    stop: () => stopped,
    missing: () => lacks(),
  }))
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

Monitoring('a role that goes by itself calls nobody either', async () => {
  const { config } = await leavingRole()
  let goes = false
  const role = await monitored({ config, metrics: makeMetrics() }, async () => ({
    stop: async () => {},
    missing: async () => (goes ? ['a reason to stay'] : []),
    isLeaving: () => goes,
  }))
  const figures = async () => (await get('/metrics', config.MONITOR_PORT)).text
  assert.match(await figures(), /^svc_ready 1$/m)
  goes = true
  assert.not.match(await figures(), /^svc_ready \d/m)
  assert.is((await get('/readyz', config.MONITOR_PORT)).status, 503)
  await role.stop()
})

Monitoring.run()
