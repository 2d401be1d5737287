import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { METRICS_CONTENT_TYPE, type Metrics } from './metrics.ts'

export interface MonitorOptions {
  readonly host: string
  readonly port: number
  readonly metrics: Metrics
  /** What the process needs and lacks, in words; empty: it can work. */
  readonly missing: () => Promise<readonly string[]>
}

export interface Monitor {
  readonly port: number
  close(): Promise<void>
}

/**
 * What an operator's tools ask a process, on a port of its own, since it is not for callers:
 * `/metrics`, `/healthz` while the process runs, `/readyz` while it can do its work.
 * @throws where the port is taken
 */
export async function openMonitor({
  host,
  port,
  metrics,
  missing,
}: MonitorOptions): Promise<Monitor> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    const answer =
      path === '/metrics'
        ? metrics.text().then((text) => say(response, 200, text, METRICS_CONTENT_TYPE))
        : path === '/readyz'
          ? missing().then((words) => sayReadiness(response, words))
          : path === '/healthz'
            ? Promise.resolve(say(response, 200, '{"status":"ok"}'))
            : Promise.resolve(say(response, 404, '{"error":"/metrics, /healthz or /readyz"}'))
    answer.catch((error: unknown) => say(response, 500, JSON.stringify({ error: String(error) })))
  })
  // Nobody who asks this holds a connection to tell the process anything more.
  server.keepAliveTimeout = 5_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function sayReadiness(response: ServerResponse, missing: readonly string[]): void {
  if (missing.length === 0) say(response, 200, '{"status":"ready"}')
  else say(response, 503, JSON.stringify({ status: 'not_ready', missing }))
}

function say(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}
