import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toUnixMs } from '../../../src/domain/time.ts'
import { signatureHeaders } from '../../../src/domain/webhook-signature.ts'
import { defaultNames } from '../../fakes/default-names.ts'
import { until } from '../../until.ts'
import { freePort } from '../servers.ts'

/** The receivers of the reference, run as a reader would run them. */
const Receivers = suite('receivers of the reference')

const PAGE = new URL('../../../src/docs/api-reference/webhooks-receiving.md', import.meta.url)
const SECRET = 'a secret of the receiver'

const exampleOf = (language: string): string => {
  const [, code] =
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readFileSync(PAGE, 'utf8')) ?? []
  if (code === undefined) throw new Error(`the page has no example in ${language}`)
  return code
}
const hasPython = spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0

const body = JSON.stringify({ id: 'evt_1', event: 'job.completed', data: { text: 'ä €' } })
interface Sent {
  readonly eventId?: string
  readonly body?: string
  readonly secret?: string
  readonly at?: number
}
const headersOf = ({ eventId = 'evt_1', secret = SECRET, at = Date.now(), ...sent }: Sent) =>
  signatureHeaders({ eventId, at: toUnixMs(at), body: sent.body ?? body, secret }, defaultNames)

async function withReceiver(
  { language, file, program }: { language: string; file: string; program: string },
  act: (url: string, said: () => string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-receiver-'))
  writeFileSync(join(folder, file), exampleOf(language))
  const port = await freePort()
  const child: ChildProcess = spawn(program, [file], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  try {
    await until('the receiver to be ready', () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`)
      return said.includes('ready')
    })
    await act(`http://127.0.0.1:${port}/hook`, () => said)
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What is answered to a body that begins, and never ends. */
const rawPost = (url: string, length: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => {
      socket.write(`POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\nbody`)
    })
    socket.setTimeout(3_000, () => socket.destroy(new Error('no answer')))
    socket.once('data', (data) => {
      socket.destroy()
      resolve(String(data))
    })
    socket.once('error', reject).once('close', () => reject(new Error('closed without an answer')))
  })

for (const runner of [
  { language: 'javascript', file: 'receiver.mjs', program: process.execPath },
  { language: 'py', file: 'receiver.py', program: 'python3' },
]) {
  if (runner.language === 'py' && !hasPython) {
    console.log('skipped: the Python receiver, because this machine has no python3')
    continue
  }
  Receivers(`${runner.language}: a length that is none is not read for`, async () => {
    await withReceiver(runner, async (url) => {
      for (const length of ['-1', 'x']) {
        const answer = await rawPost(url, length)
        assert.match(answer, /^HTTP\/1\.[01] 400 /, length)
      }
    })
  })
  Receivers(`${runner.language}: takes what is genuine, once, and refuses the rest`, async () => {
    await withReceiver(runner, async (url, said) => {
      const post = async (headers: Record<string, string>, sent = body) =>
        (await fetch(url, { method: 'POST', headers, body: sent })).status
      assert.is(await post(headersOf({})), 200)
      assert.is(await post(headersOf({})), 200, 'a repetition is welcome')
      const second = body.replace('evt_1', 'evt_2')
      assert.is(await post(headersOf({ body: second, eventId: 'evt_2' }), second), 200)
      await until('both events', () => said().includes('evt_2'))
      const refused = [
        await post(headersOf({ secret: 'another' })),
        await post(headersOf({}), body.replace('completed', 'failed')),
        await post(headersOf({ at: Date.now() - 400_000 })),
        await post(headersOf({ at: Date.now() + 400_000 })),
        await post({}),
        await post({ 'svc-signature': 't=1' }),
        await post({ 'svc-signature': `t=${Math.floor(Date.now() / 1_000)},v1=` }),
      ]
      assert.equal(refused, Array(7).fill(400))
      assert.is(await post(headersOf({})), 200, 'it goes on')
      assert.equal(said().match(/job\.\w+ evt_\d/g), ['job.completed evt_1', 'job.completed evt_2'])
    })
  })
}

Receivers.run()
