import { renameSync, writeFileSync } from 'node:fs'

/** Writes a file so that a reader sees the old text or the new one, never a part. */
export function writeWhole(file: string, text: string, mode = 0o644): void {
  const unfinished = `${file}.${process.pid}.tmp`
  writeFileSync(unfinished, text, { mode })
  renameSync(unfinished, file)
}

/** Whether a read failed because there is no such file. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
