import type { Http2Server, Http2Session, Settings } from 'node:http2'
import type { Server } from '@grpc/grpc-js'
import { assert } from '../../domain/result.ts'

/**
 * What a worker may have under way to a pool. Of HTTP/2's own 64 KiB a worker 100 ms away could send 640 kB a
 * second, for all of its answers together.
 */
export const RECEIVE_WINDOW_BYTES = 1024 * 1024

/** The part of grpc-js that makes HTTP/2 servers: nothing public gives a hold on it (grpc/grpc-node 3058). */
interface Inside {
  readonly commonServerOptions?: { settings?: Settings }
  readonly http2Servers?: Map<Pick<Http2Server, 'on'>, unknown>
}

/**
 * Call before `server` is bound. grpc-js widens the window of clients only.
 * @returns to be called once it is bound
 */
export function widenWindow(server: Server): () => void {
  const { commonServerOptions, http2Servers } = server as unknown as Inside
  assert(
    commonServerOptions && http2Servers,
    'grpc-js: this version makes its servers in another way',
  )
  commonServerOptions.settings = {
    ...commonServerOptions.settings,
    initialWindowSize: RECEIVE_WINDOW_BYTES,
  }
  return () => {
    for (const listening of http2Servers.keys()) {
      listening.on('session', (session: Http2Session) => {
        session.setLocalWindowSize(RECEIVE_WINDOW_BYTES)
      })
    }
  }
}
