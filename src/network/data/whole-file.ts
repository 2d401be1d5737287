import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file so that a reader sees the old text or the new one, never a part.
 * @throws naming the file, of which nothing new is left, where there is no room for it
 */
export function writeWhole(file: string, text: string, mode = 0o644): void {
  const unfinished = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(unfinished, text, { mode })
    renameSync(unfinished, file)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${file} cannot be written: ${why}`, { cause })
  }
}

/** Whether a read failed because there is no such file. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
