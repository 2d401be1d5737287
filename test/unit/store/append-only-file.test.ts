import type { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeStoreFile } from '../../../src/store/append-only-file.ts'

const File = suite('rewrite of the append-only file')

/** A Redis that tells so of its file, and what it was asked for. */
function stage() {
  const world = { size: 100, last: 'ok', asked: 0 }
  const redis = {
    info: async () =>
      `aof_enabled:1\r\naof_rewrite_in_progress:0\r\naof_last_bgrewrite_status:${world.last}\r\n` +
      `aof_current_size:${world.size}\r\n`,
    bgrewriteaof: async () => {
      world.asked++
    },
  }
  return Object.assign(world, { file: makeStoreFile(redis as unknown as Redis) })
}

File('is asked for once for each state of the file', async () => {
  const world = stage()
  assert.is(await world.file.rewrite(), true)
  assert.is(await world.file.rewrite(), false)
  world.size++
  assert.is(await world.file.rewrite(), true)
  assert.is(world.asked, 2)
})

File(
  'one that failed is told of and asked for again, though nothing was written since',
  async () => {
    const world = stage()
    await world.file.rewrite()
    world.last = 'err'
    for (const asked of [2, 3]) {
      const failed = await world.file.rewrite().catch((error: unknown) => error)
      assert.match(String(failed), 'failed')
      assert.is(world.asked, asked)
    }
    world.last = 'ok'
    assert.is(await world.file.rewrite(), false)
  },
)

File.run()
