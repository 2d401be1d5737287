import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { experimental } from '@grpc/grpc-js'
import type { Log } from '../../telemetry/log.ts'

/** PEM files. */
export interface TlsFiles {
  readonly certFile: string
  readonly keyFile: string
}

interface Pair {
  readonly certificate: Buffer
  readonly privateKey: Buffer
}

const LOOK_MS = 60_000

/**
 * A certificate that is read again now and then: one that was renewed counts for the next worker that dials,
 * and breaks no connection. What cannot be used, such as one of two files that is not written yet, is told
 * and leaves the one before in use. The watcher of grpc-js would turn everybody away meanwhile.
 */
export class RenewedCertificate implements experimental.CertificateProvider {
  private readonly listeners = new Set<experimental.IdentityCertificateUpdateListener>()
  private timer: NodeJS.Timeout | undefined
  private told = ''

  private constructor(
    private readonly files: TlsFiles,
    private pair: Pair,
    private readonly log: Log,
    private readonly lookMs: number,
  ) {}

  /** @throws where the files cannot be read, or are no certificate with its key */
  static async open(files: TlsFiles, log: Log, lookMs = LOOK_MS): Promise<RenewedCertificate> {
    return new RenewedCertificate(files, await read(files), log, lookMs)
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.listeners.add(listener)
    // Not at once: grpc-js asks before it listens itself.
    process.nextTick(() => listener(this.pair))
    this.timer ??= setInterval(() => void this.look(), this.lookMs).unref()
  }

  removeIdentityCertificateListener(
    listener: experimental.IdentityCertificateUpdateListener,
  ): void {
    this.listeners.delete(listener)
    if (this.listeners.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  // Workers are known by what they sign, and bring no certificate.
  addCaCertificateListener(): void {}
  removeCaCertificateListener(): void {}

  private async look(): Promise<void> {
    try {
      const pair = await read(this.files)
      this.told = ''
      if (isSame(pair, this.pair)) return
      this.pair = pair
      for (const listener of this.listeners) listener(pair)
      this.log.info({ file: this.files.certFile }, 'pool: a renewed certificate is in use')
    } catch (err) {
      const { message } = err as Error
      if (message === this.told) return
      this.told = message
      this.log.error({ err, ...this.files }, 'pool: the certificate of before stays in use')
    }
  }
}

async function read({ certFile, keyFile }: TlsFiles): Promise<Pair> {
  const [certificate, privateKey] = await Promise.all([readFile(certFile), readFile(keyFile)])
  // Throws where they are none, or not of one another.
  createSecureContext({ cert: certificate, key: privateKey })
  return { certificate, privateKey }
}

const isSame = (a: Pair, b: Pair): boolean =>
  a.certificate.equals(b.certificate) && a.privateKey.equals(b.privateKey)
