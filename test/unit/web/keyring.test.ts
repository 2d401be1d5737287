import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newApiKey } from '../../../src/domain/api-key.ts'
import { apiKeyHash, keyProof, keyProofHash } from '../../../src/domain/hash.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { type KeyRecord, keyRecord } from '../../../src/messages/key-record.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { makeKeyring } from '../../../src/web/keys/keyring.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

const Keyring = suite('keyring')

const WALLET = toAddress(`0x${'11'.repeat(20)}`)
function open(log = pino({ level: 'silent' })) {
  const [keys, keyrings] = [new MemoryRegistry(), new MemoryRegistry()]
  const uses = { note: async () => {}, lastUse: async () => toUnixMs(7) }
  const keyring = makeKeyring({
    keys,
    keyrings,
    uses,
    names: defaultNames,
    clock: systemClock,
    log,
  })
  const create = async () => {
    const created = await keyring.create(WALLET)
    if (!created.ok) throw new Error(created.error)
    return created.value
  }
  return { keys, keyrings, keyring, create }
}

Keyring('a key is kept as a hash, for its wallet', async () => {
  const { keys, keyring, create } = open()
  const { key, hint } = await create()
  const record = keys.entries.get(apiKeyHash(key))?.value as KeyRecord
  assert.equal({ ...record, createdAt: 0 }, keyRecord(key, { wallet: WALLET, createdAt: 0 }))
  assert.is(record.proofHash, keyProofHash(keyProof(key)), 'a proof of it can be checked')
  assert.is(hint, `${key.slice(0, 13)}…${key.slice(-4)}`)
  const active = await keyring.active(WALLET)
  assert.is(active?.lastUsedAt, 7)
  assert.not.ok(JSON.stringify([...keys.entries, ...active!.hint]).includes(key))
})

Keyring('given a key: no other one', async () => {
  const { keyring, create } = open()
  await create()
  assert.equal(await keyring.create(WALLET), { ok: false, error: 'key_exists' })
})

Keyring('given a crash before the keyring names the new key: it can be made again', async () => {
  const { keys, keyrings, keyring, create } = open()
  keyrings.failures = 1
  await keyring.create(WALLET).then(
    () => assert.unreachable(),
    () => {},
  )
  assert.is(await keyring.active(WALLET), null)
  const { key } = await create()
  assert.ok(keys.entries.has(apiKeyHash(key)))
})

Keyring(
  'given a crash in the middle of a revocation: the key is gone, a new one can come',
  async () => {
    const { keys, keyrings, keyring, create } = open()
    const { key } = await create()
    keyrings.failures = 1
    await keyring.revoke(WALLET).then(
      () => assert.unreachable(),
      () => {},
    )
    assert.not.ok(keys.entries.has(apiKeyHash(key)))
    assert.is(await keyring.active(WALLET), null)
    assert.is.not((await create()).key, key)
  },
)

Keyring('given two at once: one key, and nothing left of the other', async () => {
  const { keys, keyring } = open()
  const made = await Promise.all([keyring.create(WALLET), keyring.create(WALLET)])
  assert.is(made.filter(({ ok }) => ok).length, 1)
  assert.is(keys.entries.size, 1)
})

Keyring('given a suspended key: it stays, so that no new one gets round it', async () => {
  const { keys, keyring, create } = open()
  const { key } = await create()
  const hash = apiKeyHash(key)
  await keys.set(hash, { ...(keys.entries.get(hash)!.value as KeyRecord), status: 'suspended' })
  assert.is((await keyring.active(WALLET))?.status, 'suspended')
  assert.equal(await keyring.revoke(WALLET), { ok: false, error: 'key_suspended' })
  assert.equal(await keyring.create(WALLET), { ok: false, error: 'key_exists' })
})

Keyring('given a suspension in the middle of a revocation: the suspension stands', async () => {
  const { keys, keyring, create } = open()
  const { key } = await create()
  const hash = apiKeyHash(key)
  const read = keys.get.bind(keys)
  keys.get = async (asked) => {
    const entry = await read(asked)
    keys.get = read
    await keys.set(hash, { ...(entry!.value as KeyRecord), status: 'suspended' })
    return entry
  }
  assert.equal(await keyring.revoke(WALLET), { ok: false, error: 'key_suspended' })
  assert.is((await keyring.active(WALLET))?.status, 'suspended')
})

Keyring('given two revocations at once: neither is an error', async () => {
  const { keys, keyring, create } = open()
  await create()
  const both = await Promise.all([keyring.revoke(WALLET), keyring.revoke(WALLET)])
  assert.equal(both, Array(2).fill({ ok: true, value: null }))
  assert.is(keys.entries.size, 0)
})

Keyring('the key that is meant is revoked, and no other that took its place', async () => {
  const { keyring, create } = open()
  const { hint } = await create()
  await keyring.revoke(WALLET, hint)
  const next = await create()
  assert.equal(await keyring.revoke(WALLET, hint), { ok: false, error: 'key_changed' })
  assert.is((await keyring.active(WALLET))?.hint, next.hint)
  assert.equal(await keyring.revoke(WALLET, next.hint), { ok: true, value: null })
})

// With a backup that is restored the key comes back: nothing else says which to delete again.
Keyring('a revocation is told in the log, by what the key is kept under', async () => {
  const lines: Record<string, unknown>[] = []
  const { keyring, create } = open(pino({}, { write: (line) => lines.push(JSON.parse(line)) }))
  const { key } = await create()
  await keyring.revoke(WALLET)
  await keyring.revoke(WALLET)
  assert.equal(
    lines.map(({ msg, wallet, hash }) => [msg, wallet, hash]),
    [['keys: revoked by its wallet', WALLET, apiKeyHash(key)]],
  )
})

Keyring('revoking twice, or nothing, is no error', async () => {
  const { keyring, create } = open()
  assert.equal(await keyring.revoke(WALLET), { ok: true, value: null })
  await create()
  assert.equal(await keyring.revoke(WALLET), { ok: true, value: null })
  assert.equal(await keyring.revoke(WALLET), { ok: true, value: null })
})

Keyring('keys have the form of the specification, from any bytes', () => {
  const all = new Set(Array.from({ length: 500 }, () => newApiKey(defaultNames, systemClock)))
  assert.is(all.size, 500)
  for (const key of all) assert.match(key, /^svc_live_[0-9A-Za-z]{32}$/)
  let call = 0
  // Bytes that would favour some characters are passed over.
  const randomBytes = (count: number) => new Uint8Array(count).fill(call++ === 0 ? 255 : 61)
  assert.is(newApiKey(defaultNames, { randomBytes }), `svc_live_${'9'.repeat(32)}`)
})

Keyring.run()
