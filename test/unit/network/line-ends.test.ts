import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findOnPath } from '../../../src/network/programs/on-path.ts'

const LineEnds = suite('ends of lines')
const SCRIPT = 'src/contracts/solc.mjs'

LineEnds('a git that converts them leaves those of this project as they are', () => {
  if (!findOnPath('git')) return
  const folder = mkdtempSync(join(tmpdir(), 'line-ends-'))
  // In a hook of git, its variables would name this repository.
  const env = { PATH: process.env.PATH ?? '', HOME: folder }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' })
  try {
    git('init')
    git('config', 'core.autocrlf', 'true')
    for (const file of ['.gitattributes', SCRIPT]) cpSync(file, join(folder, file))
    git('add', '.')
    rmSync(join(folder, SCRIPT))
    git('checkout', '.')
    assert.is(readFileSync(join(folder, SCRIPT), 'utf8'), readFileSync(SCRIPT, 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

LineEnds.run()
