import { mkdtempSync, rmSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openProcessLog } from '../../../src/network/processes/process-log.ts'
import { until } from '../../until.ts'

const Log = suite('log of a process')

Log('is read on where somebody empties it to make room', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
  const said: string[] = []
  const log = openProcessLog(folder, 'edge-1', (line) => said.push(line))
  try {
    const error = (msg: string) => writeSync(log.fd, `${JSON.stringify({ level: 50, msg })}\n`)
    error('of before, and rather long')
    await until('the first is said', () => said.length === 1)
    truncateSync(join(folder, 'edge-1.log'))
    error('of after')
    await until('the second is said', () => said.length === 2)
    assert.match(said[1]!, 'edge-1: of after')
  } finally {
    log.close()
    rmSync(folder, { recursive: true })
  }
})

Log.run()
