import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ConfigError } from '../../../src/config/read.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { ask, listenForControl } from '../../../src/worker/local/control.ts'

const Silent = suite('worker: an agent of the same key that does not answer')

const worker = toAddress(`0x${'ab'.repeat(20)}`)
const handlers = { report: () => ({ busy: 0 }), drain: () => {} } as never

let home: string
Silent.before.each(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-silent-'))
})
Silent.after.each(() => rmSync(home, { recursive: true, force: true }))

Silent('a halted one is there: no second agent takes its place', async () => {
  const path = join(home, `${worker.slice(2, 12)}.sock`)
  const open: Socket[] = []
  const halted = createServer((socket) => void open.push(socket))
  await new Promise<void>((resolve) => halted.listen(path, resolve))
  const error = await listenForControl(home, worker, handlers).catch((cause: unknown) => cause)
  assert.instance(error, ConfigError)
  assert.match((error as Error).message, /has not answered for 5 s/)
  // It goes on where it was.
  await new Promise((resolve) => connect(path, () => resolve(undefined)).unref())
  for (const socket of open) socket.destroy()
  halted.close()
})

Silent('of one that was killed nothing is in the way', async () => {
  assert.is(await ask(home, worker, 'status'), undefined)
  const first = await listenForControl(home, worker, handlers)
  assert.equal(await ask(home, worker, 'status'), { busy: 0 })
  await first.close()
  const second = await listenForControl(home, worker, handlers)
  await second.close()
})

Silent.run()
