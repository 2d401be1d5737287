import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_PREFIX, serviceNames } from '../../../src/domain/service-names.ts'
import { addressOf, openKeys } from '../../../src/network/data/keys.ts'

const Keys = suite('keys of a development network')
const dir = mkdtempSync(join(tmpdir(), 'svc-keys-'))
const NOW = 1_800_000_000_000
const open = (file: string, workers: number, now = NOW, prefix: string = DEFAULT_PREFIX) =>
  openKeys(file, { workers, names: serviceNames(prefix), now })

Keys('are made once, for the owner alone', () => {
  const file = join(dir, 'keys.json')
  const made = open(file, 2)
  assert.is(made.workers.length, 2)
  const roles = [made.deployer, made.locker, made.settler, made.arbiter, made.treasury, made.wallet]
  const more = [made.withdrawal_signer, made.pauser, ...made.workers]
  assert.is(new Set([...roles, ...more].map(addressOf)).size, 10, 'each has its own')
  assert.equal(open(file, 2, NOW + 1), made)
  assert.is(statSync(file).mode & 0o777, 0o600)
})

Keys('more workers get more keys, and fewer lose none', () => {
  const file = join(dir, 'workers.json')
  const two = open(file, 2).workers
  assert.equal(open(file, 3).workers.slice(0, 2), two)
  assert.is(open(file, 1).workers.length, 3)
})

for (const role of ['arbiter', 'withdrawal_signer', 'pauser', 'relayer'] as const) {
  Keys(`of a version without the role ${role} get one, and keep the rest`, () => {
    const file = join(dir, `before-${role}.json`)
    const { [role]: key, ...older } = open(file, 1)
    writeFileSync(file, JSON.stringify(older))
    const opened = open(file, 1)
    assert.match(opened[role], /^0x[0-9a-f]{64}$/)
    assert.is.not(opened[role], key)
    assert.equal({ ...opened, [role]: key }, { ...older, [role]: key })
    assert.equal(JSON.parse(readFileSync(file, 'utf8')), opened)
  })
}

Keys('of a version without webhooks get a key for their secrets, and keep the rest', () => {
  const file = join(dir, 'before-webhooks.json')
  const { webhook_secrets: key, ...older } = open(file, 1)
  writeFileSync(file, JSON.stringify(older))
  const opened = open(file, 1)
  assert.match(opened.webhook_secrets, /^[0-9a-f]{64}$/)
  assert.is.not(opened.webhook_secrets, key)
  assert.equal({ ...opened, webhook_secrets: key }, { ...older, webhook_secrets: key })
})

Keys('under another prefix the API key is made anew, and nothing else', () => {
  const file = join(dir, 'prefix.json')
  const { api_key: before, ...rest } = open(file, 1)
  assert.match(before, /^svc_live_[0-9A-Za-z]{32}$/)
  const { api_key: after, ...kept } = open(file, 1, NOW + 1, 'acme')
  assert.match(after, /^acme_live_[0-9A-Za-z]{32}$/)
  assert.equal(kept, { ...rest, api_key_created_at: NOW + 1 })
  assert.is(open(file, 1, NOW + 2, 'acme').api_key, after)
})

Keys('a file of something else is refused', () => {
  const file = join(dir, 'else.json')
  for (const text of ['{}', '{"deployer": "0x', '']) {
    writeFileSync(file, text)
    assert.throws(() => open(file, 1), /else.json does not hold a network's keys/)
  }
})

Keys.after(() => rmSync(dir, { recursive: true }))
Keys.run()
