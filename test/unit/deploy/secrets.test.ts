import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NATS_ROLES } from '../../../src/bus/permissions.ts'
import { REDIS_ROLES } from '../../../src/store/permissions.ts'
import { ROOT } from './helm.ts'
import { envOf } from './role-settings.ts'
import { makeSecrets, runScript, type Secrets, updateAcl } from './secrets.ts'

const Made = suite('deploy: secrets')
let secrets: Secrets

Made.before(() => {
  secrets = makeSecrets({ NATS_HOSTS: 'a:4222,b:4222', REDIS_HOST: 'r:6379' })
})
Made.after(() => secrets.remove())

Made('each user of NATS has the password that its role is given', () => {
  const servers = envOf(secrets.read('nats.env'))
  assert.equal(
    Object.keys(servers).sort(),
    NATS_ROLES.map((role) => `SVC_NATS_${role.toUpperCase()}_PASSWORD`).sort(),
  )
  for (const role of NATS_ROLES) {
    const password = servers[`SVC_NATS_${role.toUpperCase()}_PASSWORD`]!
    assert.match(password, /^p[0-9a-f]{48}$/)
    const { NATS_URL } = envOf(secrets.read(`${role}.env`))
    assert.is(NATS_URL, `nats://${role}:${password}@a:4222,nats://b:4222`)
  }
})

Made('each user of Redis has the hash of the password that its role is given', () => {
  const users = secrets.read('users.acl')
  for (const role of REDIS_ROLES) {
    const { password } = new URL(envOf(secrets.read(`${role}.env`)).REDIS_URL!)
    const hash = createHash('sha256').update(password).digest('hex')
    assert.ok(users.includes(`user ${role} on #${hash} `), role)
  }
  assert.not.match(users, /\$/)
})

Made('nobody else may read them, but for the hashes', () => {
  assert.is(statSync(secrets.folder).mode & 0o777, 0o700)
  for (const file of readdirSync(secrets.folder)) {
    const mode = statSync(join(secrets.folder, file)).mode & 0o777
    assert.is(mode, file === 'users.acl' ? 0o644 : 0o600, file)
  }
})

Made('what is there is left as it is', () => {
  const before = secrets.read('edge.env')
  assert.throws(() => runScript(secrets.folder), /is there already/)
  assert.is(secrets.read('edge.env'), before)
})

Made('the keys of the lanes are in one file alone', () => {
  for (const file of readdirSync(secrets.folder)) {
    assert.is(/LOCKER|SETTLER/.test(secrets.read(file)), file === 'settlement.env', file)
  }
})

Made('an upgrade brings new rules of Redis to the same file, and no password is lost', () => {
  const file = join(secrets.folder, 'users.acl')
  const made = secrets.read('users.acl')
  const second = `#${'2'.repeat(64)}`
  const own = 'user exporter on #33 +info'
  const old = made
    .replace(/^(user edge on #\w+).*$/m, `$1 ${second} +ping`)
    .replace(/^(user web on #\w+).*$/m, '$1')
  writeFileSync(file, `${old}${own}\n`)
  const before = statSync(file)
  updateAcl(secrets.folder)
  const after = statSync(file)
  const wanted = made.replace(/^(user edge on #\w+)/m, `$1 ${second}`)
  assert.is(secrets.read('users.acl'), `${wanted}${own}\n`)
  // A server that has the file mounted by itself would not see another one of the same name.
  assert.is(after.ino, before.ino)
  assert.is(after.mode, before.mode)
  updateAcl(secrets.folder)
  assert.is(secrets.read('users.acl'), `${wanted}${own}\n`, 'again changes nothing')
})

Made('no hash of a password is lost where there is no room to write', () => {
  const before = secrets.read('users.acl')
  const script = 'ulimit -f 0; sh "$0" --update-acl "$1"'
  const args = ['-c', script, join(ROOT, 'deploy/secrets.sh'), secrets.folder]
  assert.throws(() => execFileSync('sh', args, { stdio: 'pipe' }))
  assert.is(secrets.read('users.acl'), before)
  rmSync(join(secrets.folder, 'users.acl.before'), { force: true })
})

Made('an empty file of users is not filled with what no server takes', () => {
  const before = secrets.read('users.acl')
  const file = join(secrets.folder, 'users.acl')
  writeFileSync(file, '')
  assert.throws(() => updateAcl(secrets.folder), /is not there or empty/)
  assert.is(secrets.read('users.acl'), '')
  writeFileSync(file, before)
})

Made('a user that the file does not know is named, and the file left as it is', () => {
  const file = join(secrets.folder, 'users.acl')
  const before = secrets.read('users.acl').replace(/^user auditor .*\n/m, '')
  writeFileSync(file, before)
  assert.throws(() => updateAcl(secrets.folder), /auditor\n.*has no password/)
  assert.is(secrets.read('users.acl'), before)
})

Made.run()
