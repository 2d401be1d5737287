import { createRequire } from 'node:module'
import type { Log } from '../../telemetry/log.ts'

/**
 * The package that checks signatures brings native code for some machines, is compiled on others that have a compiler, and
 * else does the same in JavaScript, silently: 4 ms of CPU a proof in place of 0.1.
 */
export function noteSlowSignatures(
  log: Pick<Log, 'warn'>,
  load: (name: string) => unknown = createRequire(import.meta.url),
): void {
  try {
    load('secp256k1/bindings')
  } catch {
    log.warn(
      { platform: `${process.platform}-${process.arch}` },
      'signatures are checked in JavaScript here, thirty times slower than in native code: install python3, make ' +
        'and a C++ compiler, then run npm rebuild secp256k1',
    )
  }
}
