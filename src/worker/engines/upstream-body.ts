import type { Dispatcher } from 'undici'

/**
 * One answer of an upstream, read when it is asked for. What comes in between stays in the socket, so that a
 * reader who asks seldom gets much at a time, and pays for one read.
 */
export class UpstreamBody implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private came: Buffer[] = []
  private over: { readonly error?: unknown } | undefined
  private asked = true
  private wake = () => {}

  /** Sends the request. @param signal ends it */
  constructor(
    dispatcher: Dispatcher,
    request: Dispatcher.DispatchOptions,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.stop, { once: true })
    try {
      if (signal.aborted) this.stop()
      else dispatcher.dispatch(request, this)
    } catch (error) {
      this.end({ error })
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Stopped before there was a connection.
    if (this.over) controller.abort(STOPPED)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return // there is more to come
    this.status = status
    this.wake()
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.came.push(bytes)
    if (this.asked) this.wake()
    else controller.pause()
  }

  onResponseEnd(): void {
    this.end({})
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end({ error })
  }

  /** @returns the status, once there is one @throws where there is no answer */
  async begun(): Promise<number> {
    while (this.status === 0) {
      if (this.over) throw this.over.error
      await this.change()
    }
    return this.status
  }

  /**
   * @param withinMs fails where nothing comes for so long; what is here already is given all the same
   * @returns all that has come since the last time; undefined: it is over
   * @throws where it broke off
   */
  async next(withinMs: number): Promise<Buffer | undefined> {
    this.asked = true
    this.controller?.resume()
    while (this.came.length === 0) {
      if (this.over?.error) throw this.over.error
      if (this.over) return undefined
      await this.changeWithin(withinMs)
    }
    this.asked = false
    const came = this.came
    this.came = []
    return came.length === 1 ? came[0] : Buffer.concat(came)
  }

  /**
   * The rest of it, as text, or what came of that. Ends the request.
   * @param withinMs as for `next`
   * @param bytesMax more is not read
   */
  async text(withinMs: number, bytesMax: number): Promise<string> {
    const parts: Buffer[] = []
    let bytes = 0
    try {
      while (bytes < bytesMax) {
        const part = await this.next(withinMs)
        if (!part) break
        parts.push(part)
        bytes += part.length
      }
    } catch {
      // It broke off: what came is all that there will be.
    }
    this.stop()
    return Buffer.concat(parts).toString()
  }

  /** Ends the request, and its connection. */
  readonly stop = (): void => {
    if (this.over) return
    if (this.controller) this.controller.abort(STOPPED)
    else this.end({ error: STOPPED })
  }

  /**
   * Nothing of what may follow matters. Mostly it is the end, after which the connection serves another request.
   * @param withinMs some servers keep it open for a while: then it is closed
   */
  leave(withinMs: number): void {
    if (this.over) return
    const late = setTimeout(this.stop, withinMs).unref()
    this.asked = true
    this.wake = () => {
      this.came = []
      if (this.over) clearTimeout(late)
    }
    this.controller?.resume()
  }

  private end(over: { readonly error?: unknown }): void {
    this.over = over
    this.signal.removeEventListener('abort', this.stop)
    this.wake()
  }

  private async changeWithin(spanMs: number): Promise<void> {
    const late = setTimeout(() => {
      this.controller?.abort(LATE)
    }, spanMs)
    await this.change()
    clearTimeout(late)
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}

/** One for all: nobody reads where it was made, and a stack costs more than a token. */
const STOPPED = new Error('stopped')
const LATE = new Error('it was silent for too long')
