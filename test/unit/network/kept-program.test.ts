import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KeptProgram } from '../../../src/network/processes/kept-program.ts'
import { pause } from '../../../src/network/waiting.ts'

const Kept = suite('a program that is kept running')

Kept('is stopped also where its end cannot be written down', async () => {
  const logs = mkdtempSync(join(tmpdir(), 'svc-kept-'))
  const thrown: unknown[] = []
  const note = (error: unknown) => thrown.push(error)
  process.on('uncaughtException', note)
  let isFull = false
  const changed = () => {
    if (isFull) throw new Error('ENOSPC')
  }
  const program = new KeptProgram(
    { role: 'chain', name: 'sleeper', command: 'sleep', args: ['60'] },
    { logs, deathNotice: [], say: () => {}, changed },
  )
  try {
    program.run()
    isFull = true
    const outcome = await Promise.race([program.stop(500).then(() => 'gone'), pause(5_000)])
    assert.is(outcome, 'gone')
    await pause(10)
    assert.is(String(thrown[0]), 'Error: ENOSPC')
  } finally {
    process.off('uncaughtException', note)
    program.kill()
    rmSync(logs, { recursive: true, force: true })
  }
})

Kept.run()
