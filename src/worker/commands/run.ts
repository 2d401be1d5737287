import { join } from 'node:path'
import { monitored, type StartedRole } from '../../config/monitored.ts'
import { runProcess } from '../../config/process.ts'
import { tracesOf } from '../../config/tracing-settings.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Metrics, makeMetrics } from '../../telemetry/metrics.ts'
import { openTraces } from '../../telemetry/open-traces.ts'
import { followChain } from '../chain/follow.ts'
import type { Settings } from '../cli/settings.ts'
import { composeWorker } from '../compose.ts'
import { openKey, type WorkerKey } from '../key/open-key.ts'
import { type ControlHandlers, canListen, folderOf, listenForControl } from '../local/control.ts'
import { SignedJobs } from '../local/signed-jobs.ts'
import { DRAIN_MS } from '../session.ts'
import { startingReport } from '../status/report.ts'
import { openScreen, type Screen } from '../status/screen.ts'
import { countWork, showReport, whatLacks } from '../status/work-figures.ts'

/** Serves jobs until it is stopped or drained. */
export async function run(settings: Settings, json: boolean): Promise<void> {
  const screen = openScreen(settings.LOG_LEVEL, json)
  const { log } = screen
  const key = await openKey(settings, (line) => log.info(line))
  const metrics = makeMetrics({ process: settings.MONITOR_PORT > 0 })
  await runProcess(log, () =>
    monitored({ config: settings, metrics }, ({ until }) =>
      until('the agent itself: it starts', start({ settings, key, screen, metrics })),
    ),
  )
}

interface Starting {
  readonly settings: Settings
  readonly key: WorkerKey
  readonly screen: Screen
  readonly metrics: Metrics
}

async function start({ settings, key, screen, metrics }: Starting): Promise<StartedRole> {
  const { log } = screen
  const folder = folderOf(settings.WORKER_HOME, key.address)
  // Its engine may load models for minutes, and who asks meanwhile is answered: there is nothing to finish yet.
  let report = () => startingReport(key.address, settings.WORKER_SLOTS)
  let leave = async (): Promise<void> => process.exit(0)
  const drain = () => {
    log.info('draining: asked to by svc-worker drain')
    void leave()
  }
  const handlers = { report: () => report(), drain }
  const control = await reachable(settings, key, handlers, log)
  // After the socket: two agents of one key must not write one file.
  const signed = SignedJobs.open(join(folder, 'signed.log'), Math.floor(Date.now() / 1_000))
  const named = { role: 'worker', instance: key.address, log }
  const traces = await openTraces({ ...tracesOf(settings), ...named })
  const figures = countWork(metrics)
  const agent = await composeWorker({ settings, key, signed, log, traces, figures })
  report = () => agent.report()
  showReport(metrics, report)
  const stopReading = followChain({ settings, agent, log })
  const stop = async (spanMs?: number) => {
    await agent.stop(spanMs)
    stopReading()
    screen.close()
    signed.close()
    await traces?.close()
    await control.close()
  }
  leave = async () => {
    await stop(DRAIN_MS)
    process.exit(0)
  }
  agent.start()
  screen.follow(report)
  return {
    stop,
    missing: async () => whatLacks(agent.report()),
    // `svc-worker drain` tells the agent alone.
    isLeaving: () => agent.report().phase === 'draining',
  }
}

/** Lets `status` and `drain` find this agent. */
async function reachable(
  { WORKER_HOME: home }: Settings,
  { address }: WorkerKey,
  handlers: ControlHandlers,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  if (canListen(home, address)) return listenForControl(home, address, handlers)
  log.warn(
    { home },
    'svc-worker status and drain cannot reach this agent: --home is too long a path',
  )
  return { close: async () => {} }
}
