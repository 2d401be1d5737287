// Writes deploy/nats-users.conf and deploy/redis-users.acl; with --check it only says whether they are
// current.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../data/whole-file.ts'
import { natsUsersFile } from './nats-users.ts'
import { redisUsersTemplate } from './redis-users.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const check = process.argv.includes('--check')

bringUpToDate('deploy/nats-users.conf', natsUsersFile())
bringUpToDate('deploy/redis-users.acl', redisUsersTemplate())

function bringUpToDate(file: string, wanted: string): void {
  const path = join(import.meta.dirname, '../../..', file)
  if (!check) {
    writeFileSync(path, wanted)
    say(`${file} written`)
  } else if (readIfThere(path) === wanted) {
    say(`${file} is current`)
  } else {
    say(`${file} is not current: run npm run generate`)
    process.exitCode = 1
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
