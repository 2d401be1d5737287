import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { UNPACKED } from './unpack.ts'

// Debian puts servers into folders that are not on every user's PATH.
const MORE_FOLDERS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/opt/homebrew/bin',
  '/usr/local/bin',
  ...UNPACKED,
]

export function findOnPath(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // whatever the reason, it cannot be run
  }
}
