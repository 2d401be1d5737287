import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { removeAbandoned } from '../../../src/network/programs/unpack.ts'

const Unpack = suite('the cache of unpacked programs')

Unpack('keeps programs and what is worked in, and nothing that was left at work', () => {
  const cache = mkdtempSync(join(tmpdir(), 'svc-unpack-'))
  try {
    const dayAgo = new Date(Date.now() - 86_400_000)
    for (const name of ['apt-left', 'apt-new', 'programs']) {
      mkdirSync(join(cache, name, 'archives'), { recursive: true })
      writeFileSync(join(cache, name, 'archives', 'one.deb'), '')
      if (name !== 'apt-new') utimesSync(join(cache, name), dayAgo, dayAgo)
    }
    removeAbandoned(cache)
    assert.equal(readdirSync(cache).sort(), ['apt-new', 'programs'])
  } finally {
    rmSync(cache, { recursive: true })
  }
})

Unpack.run()
