import { experimental, Server, ServerCredentials } from '@grpc/grpc-js'
import { WorkerServiceService } from '../../../proto/gen/svc/worker/v1/worker.ts'
import type { RenewedCertificate } from './certificate.ts'
import { widenWindow } from './receive-window.ts'
import { readRequest, type WorkerCall } from './worker-call.ts'

export interface ServerOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Undefined: no TLS. */
  readonly tls: RenewedCertificate | undefined
  readonly onWorker: (call: WorkerCall) => void
}

export interface WorkerServer {
  readonly port: number
  close(): Promise<void>
}

const MESSAGE_BYTES_MAX = 16 * 1024 * 1024
const STREAMS_PER_CONNECTION_MOST = 100
const CLOSE_MS = 1_000

/** Listens for workers. */
export async function listen(options: ServerOptions): Promise<WorkerServer> {
  const server = new Server({
    // Off by default; without it a peer whose cable was pulled is never noticed.
    'grpc.keepalive_time_ms': 5_000,
    'grpc.keepalive_timeout_ms': 5_000,
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    // A worker needs one; a proxy that carries many workers opens more connections.
    'grpc.max_concurrent_streams': STREAMS_PER_CONNECTION_MOST,
  })
  const windowOnceBound = widenWindow(server)
  const connect = { ...WorkerServiceService.connect, requestDeserialize: readRequest }
  server.addService({ ...WorkerServiceService, connect }, { connect: options.onWorker })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, credentials(options.tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  windowOnceBound()
  return { port, close: () => close(server) }
}

function credentials(tls: ServerOptions['tls']): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure()
  return experimental.createCertificateProviderServerCredentials(tls, null, false)
}

/** Lets streams that have ended send their status, then cuts what is left. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, CLOSE_MS)
    server.tryShutdown(() => {
      clearTimeout(cut)
      resolve()
    })
  })
}
