import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isFree } from '../../../src/network/ports.ts'
import { birthByPs, endLeftovers, writePids } from '../../../src/network/processes/pid-file.ts'

interface Context {
  folder: string
  file: string
  children: ChildProcess[]
}

const Pids = suite<Context>('what a killed launcher has left running')

Pids.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pids-'))
  Object.assign(context, { folder, file: join(folder, 'pids.json'), children: [] })
})

Pids.after.each(({ folder, children }) => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Runs `script` until it is ended. It prints a number once it is there. */
async function leave({ file, children }: Context, script = 'console.log(1)') {
  const child = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1e3)`])
  children.push(child)
  const [said] = await once(child.stdout!, 'data')
  writePids(file, [{ pid: child.pid!, name: 'edge-1' }])
  return { child, said: Number(said) }
}

/** As if this process were not the one that wrote it. */
function forgetLauncher({ file }: Context): void {
  const { processes } = JSON.parse(readFileSync(file, 'utf8'))
  const launcher = { pid: process.pid, name: 'launcher', born: '0' }
  writeFileSync(file, JSON.stringify({ launcher, processes }))
}

const isThere = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

Pids('is let alone while its launcher lives', async (context) => {
  const { child } = await leave(context)
  const refusal = await endLeftovers(context.file).catch(String)
  assert.match(String(refusal), 'a network is already running from this data directory')
  assert.ok(isThere(child))
})

Pids('is known without /proc too, by a start that has another time zone', () => {
  const zone = process.env.TZ
  const births = ['UTC', 'Asia/Tokyo'].map((name) => {
    process.env.TZ = name
    return birthByPs(process.pid)
  })
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
  assert.ok(births[0])
  assert.is(births[0], births[1])
})

Pids('is ended and named', async (context) => {
  const { child } = await leave(context)
  forgetLauncher(context)
  const ended = once(child, 'exit')
  assert.equal(await endLeftovers(context.file), ['edge-1'])
  assert.equal(await ended, [null, 'SIGTERM'])
})

Pids('is let alone by one of two starts that wait for its end', async (context) => {
  await leave(context, "process.on('SIGTERM', () => {}); console.log(1)")
  forgetLauncher(context)
  const second = endLeftovers(context.file, 300).catch(String)
  // The first one has it, and runs.
  writePids(context.file, [])
  assert.match(String(await second), 'a network is already running from this data directory')
})

Pids('has let its ports go where it had to be killed', async (context) => {
  // So much memory takes the system a while to take back, and ports come after it.
  const { said: port } = await leave(
    context,
    `process.on('SIGTERM', () => {})
    globalThis.held = Buffer.alloc(2 ** 28, 1)
    const server = require('net').createServer()
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`,
  )
  forgetLauncher(context)
  await endLeftovers(context.file, 100)
  assert.ok(await isFree(port))
})

Pids('may end by itself before it is told to', async (context) => {
  const { child } = await leave(context)
  forgetLauncher(context)
  const { kill } = process
  process.kill = (pid, signal) => {
    process.kill = kill
    kill(pid, 'SIGKILL')
    throw Object.assign(new Error(`kill ESRCH ${signal}`), { code: 'ESRCH' })
  }
  try {
    assert.equal(await endLeftovers(context.file), ['edge-1'])
  } finally {
    process.kill = kill
  }
  if (isThere(child)) await once(child, 'exit')
})

Pids.run()
