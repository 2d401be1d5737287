import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from '../../config/read.ts'

/**
 * Writes a file that is not there yet, for its owner alone. One that cannot be written whole is removed
 * again: half of it would be taken for a damaged one at the next start.
 * @throws {ConfigError} where it cannot be written, or came meanwhile
 */
export function writeNewFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // `wx` refuses a file that came meanwhile.
    write(path, openSync(path, 'wx', 0o600), text)
  } catch (error) {
    throw notWritable(path, error)
  }
}

function write(path: string, file: number, text: string): void {
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

export const notWritable = (path: string, error: unknown): ConfigError =>
  new ConfigError(
    `${path} cannot be written: ${(error as Error).message}. Make room there, give this user the ` +
      'right to write there, or name another --home',
  )
