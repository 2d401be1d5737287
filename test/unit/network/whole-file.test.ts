import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writeWhole } from '../../../src/network/data/whole-file.ts'

const Whole = suite('network: files that are written whole')

Whole('one that cannot be written is named, and nothing of it is left', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whole-'))
  try {
    const file = join(folder, 'pids.json')
    // A file cannot take the place of a folder.
    mkdirSync(join(file, 'in it'), { recursive: true })
    assert.throws(
      () => writeWhole(file, '{}'),
      ({ message }: Error) => message.startsWith(`${file} cannot be written: `),
    )
    assert.equal(readdirSync(folder), ['pids.json'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

Whole.run()
