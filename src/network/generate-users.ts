// Writes deploy/nats-users.conf; with --check it only says whether that is current.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { natsUsersFile } from './nats-users.ts'

const path = join(import.meta.dirname, '../../deploy/nats-users.conf')
const wanted = natsUsersFile()
const say = (line: string) => process.stdout.write(`${line}\n`)

if (process.argv.includes('--check')) {
  const current = readFileSync(path, 'utf8') === wanted
  say(
    current
      ? 'deploy/nats-users.conf is current'
      : 'deploy/nats-users.conf is not current: run npm run generate',
  )
  if (!current) process.exitCode = 1
} else {
  writeFileSync(path, wanted)
  say('deploy/nats-users.conf written')
}
