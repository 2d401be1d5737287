import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { otherPayee, uncheckedPayee } from '../../../src/worker/chain/worker-facts.ts'
import { parseArguments } from '../../../src/worker/cli/arguments.ts'
import { helpText } from '../../../src/worker/cli/help.ts'
import { readSettings, SETTINGS } from '../../../src/worker/cli/settings.ts'
import { requireTls } from '../../../src/worker/dial.ts'
import { upstreamBase } from '../../../src/worker/engines/upstream-url.ts'

const Settings = suite('worker settings')

let folder: string
Settings.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-settings-'))
})
Settings.after(() => rmSync(folder, { recursive: true, force: true }))

const read = (argv: string[], env: Record<string, string> = {}) => {
  const { flags, file } = parseArguments(argv)
  return readSettings({ flags, env: { HOME: folder, ...env }, file })
}
const inFile = (value: unknown): string => {
  const path = join(folder, 'some.json')
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}

Settings('a flag wins over a variable, a variable over the file, the file over the default', () => {
  const file = inFile({ slots: 3, region: 'eu', models: ['a/b', 'c/d'] })
  const env = { WORKER_SLOTS: '4', WORKER_REGION: '' }
  const settings = read(['--config', file, '--slots', '5'], env)
  assert.is(settings.WORKER_SLOTS, 5)
  assert.is(read(['--config', file], env).WORKER_SLOTS, 4)
  assert.is(read(['--config', file]).WORKER_SLOTS, 3)
  assert.is(read([]).WORKER_SLOTS, 8)
  // An empty variable is one that is not set.
  assert.is(settings.WORKER_REGION, 'eu')
  assert.is(settings.WORKER_MODELS, 'a/b,c/d')
})

Settings('worker.json of the home folder is read where it is there', () => {
  const home = mkdtempSync(join(folder, 'home-'))
  writeFileSync(join(home, 'worker.json'), JSON.stringify({ pool: 'https://pool.example' }))
  const settings = read(['--home', home])
  assert.is(settings.POOL_URL, 'https://pool.example')
  assert.is(settings.WORKER_KEYSTORE, join(home, 'keystore.json'))
})

Settings('a folder that cannot be read is not taken for a --config that nobody gave', () => {
  const home = mkdtempSync(join(folder, 'home-'))
  mkdirSync(join(home, 'worker.json'))
  const said = /^(?!--config).*worker\.json in the folder of this agent \(--home\) cannot be read/
  refuses(() => read(['--home', home]), said)
  refuses(() => read([], { WORKER_HOME: home }), said)
})

Settings('what is wrong is named as whoever gave it knows it', () => {
  refuses(() => read(['--slots', 'many']), /--slots: /)
  refuses(() => read([], { WORKER_SLOTS: '0' }), /WORKER_SLOTS: /)
  refuses(() => read(['--llama-gpu-layers', 'all']), /--llama-gpu-layers: must be auto, or/)
  refuses(() => read(['--config', inFile({ slots: 'x' })]), /"slots" in .*some\.json: /)
  refuses(() => read(['--config', inFile({ slot: 1 })]), /there is no setting "slot"/)
  refuses(() => read(['--config', inFile('[]')]), /must be a JSON object/)
  refuses(() => read(['--config', join(folder, 'missing.json')]), /cannot be read/)
  refuses(() => read(['--slot', '1']), /--slot.*--help/s)
  refuses(() => parseArguments(['stake']), /stake takes an AMOUNT:/)
  refuses(() => parseArguments(['keys']), /keys takes one of new, import, show:/)
  refuses(() => parseArguments(['drain', 'now']), /drain takes nothing behind it/)
  refuses(() => parseArguments(['--password', 'x']), /--password/)
})

Settings('help names every setting, and no secret is a flag', () => {
  const help = helpText()
  for (const [setting, { name, secret }] of Object.entries(SETTINGS)) {
    assert.ok(help.includes(setting), setting)
    assert.is(help.includes(`--${name},`), !secret, name)
  }
})

Settings('help shows defaults as an operator would write them', () => {
  const help = helpText()
  assert.match(help, /OTEL_EXPORTER_OTLP_HEADERS\n/)
  assert.match(help, /LLAMA_THREADS \[0\]\n/)
  assert.match(help, /POOL_URL \[127\.0\.0\.1:50051\]\n/)
  assert.not.match(help, /\[object/)
})

Settings('prompts do not cross a network in the clear, unless that is wanted', () => {
  for (const pool of ['127.0.0.1:50051', 'http://localhost:1', '[::1]:5', 'https://pool.example']) {
    assert.is(requireTls(read(['--pool', pool])).length, 1)
  }
  for (const pool of ['10.0.0.7:50051', 'http://pool.example', 'grpc://127.0.0.1.example:1']) {
    refuses(() => requireTls(read(['--pool', pool])), /without TLS/)
    assert.is(requireTls(read(['--pool', pool, '--insecure']))[0]?.tls, false)
  }
  const several = 'https://a.example, https://b.example:8443,10.0.0.7:1'
  refuses(() => requireTls(read(['--pool', several])), /--pool 10.0.0.7:1 is another machine/)
  assert.equal(
    requireTls(read(['--pool', several, '--insecure'])).map(({ target }) => target),
    ['a.example:443', 'b.example:8443', '10.0.0.7:1'],
  )
  refuses(() => requireTls(read(['--pool', 'https://a.example,'])), /not usable/)
  refuses(() => requireTls(read(['--pool', 'ftp://pool'])), /not usable/)
  for (const pool of ['http://127.0.0.1:99999', '127.0.0.1:0']) {
    refuses(() => requireTls(read(['--pool', pool])), /between 1 and 65535/)
  }
})

Settings('the upstream has an address, and no password in it', () => {
  const base = 'http://127.0.0.1:26000/v1'
  assert.is(upstreamBase(base), base)
  assert.is(upstreamBase('https://host/a@b/v1/'), 'https://host/a@b/v1')
  for (const url of ['127.0.0.1:26000/v1', 'localhost:26000/v1', '', 'ftp://host/v1']) {
    refuses(() => upstreamBase(url), /--upstream .*http:\/\/host:port\/v1/)
  }
  for (const url of ['http://user:pw@host/v1', 'user:pw@host/v1']) {
    refuses(() => upstreamBase(url), /^(?!.*pw).*UPSTREAM_API_KEY/)
  }
  for (const url of [`${base}?api-version=1`, `${base}/#x`]) {
    refuses(() => upstreamBase(url), /26000\/v1\/? has more behind it.*the address alone/)
  }
})

Settings('the upstream’s key goes into a header, without the line break of its file', () => {
  const keyOf = (UPSTREAM_API_KEY: string) =>
    readSettings({ flags: {}, env: { HOME: folder, UPSTREAM_API_KEY }, file: undefined })
  assert.is(keyOf('sk-a_1.b/c+d=\n').UPSTREAM_API_KEY, 'sk-a_1.b/c+d=')
  assert.is(keyOf('').UPSTREAM_API_KEY, '')
  for (const key of ['sk-\n1', 'sk 1', 'sk-é']) {
    refuses(() => keyOf(key), /^(?!.*sk).*UPSTREAM_API_KEY: must be letters/s)
  }
})

Settings('a payee that the chain has not is told, with what to do', () => {
  const [wanted, payee] = [`0x${'aB'.repeat(20)}`, toAddress(`0x${'cd'.repeat(20)}`)]
  assert.match(otherPayee(wanted, { payee, workerId: 7 }) ?? '', /0xcdcd.*worker 7.*setPayee/)
  assert.is(otherPayee(wanted, { payee: toAddress(wanted), workerId: 7 }), undefined)
  assert.is(otherPayee(undefined, { payee, workerId: 7 }), undefined)
  assert.match(uncheckedPayee(wanted) ?? '', /0xaBaB.*only when this key registers.*--rpc/)
  assert.is(uncheckedPayee(undefined), undefined)
})

function refuses(call: () => unknown, why: RegExp): void {
  try {
    call()
  } catch (error) {
    assert.instance(error, ConfigError)
    assert.match((error as Error).message, why)
    return
  }
  assert.unreachable(`it was taken, where ${why} was due`)
}

Settings.run()
