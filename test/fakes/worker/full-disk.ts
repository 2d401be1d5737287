import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const real = { writeSync: fs.writeSync, writeFileSync: fs.writeFileSync }
/** The texts of these files are short: half of one always fits, and never the whole. */
const half = (text: string) => text.slice(0, text.length / 2)
const full = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

/** From now on every file takes half of the next text, and no more. */
export function fillDisk(): void {
  let room = true
  const writeSync = (file: number, bytes: Uint8Array): number => {
    if (!room) throw full()
    room = false
    return real.writeSync(file, bytes.subarray(0, bytes.length / 2))
  }
  const writeFileSync = (file: fs.PathOrFileDescriptor, text: string, options?: object): void => {
    real.writeFileSync(file, half(text), options)
    throw full()
  }
  Object.assign(fs, { writeSync, writeFileSync })
  syncBuiltinESMExports()
}

export function emptyDisk(): void {
  Object.assign(fs, real)
  syncBuiltinESMExports()
}
