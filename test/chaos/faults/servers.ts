import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pause, until } from '../../until.ts'
import type { World } from '../world.ts'
import { FAULT_MS, type Fault, type Turn } from './fault.ts'
import { untilAnew } from './processes.ts'

/** Redis forgets, or finds its file damaged; the journal's disk is full. */

const FLUSHES = 12
const FLUSH_PAUSE_MS = 40

export const serverFaults: readonly Fault[] = [
  { name: 'redis: FLUSHALL', world: 'usual', run: flush },
  { name: 'redis: append-only file cut short', world: 'usual', run: cutShort },
  { name: 'redis: append-only file damaged in the middle', world: 'usual', run: damage },
  { name: 'nats: disk full', world: 'small disk', nats: 'one server', run: fillDisk },
]

/** Again and again: reservations go, prompts before a worker has them, then answers. */
async function flush({ network }: World) {
  const redis = new Redis(network.redis_url)
  try {
    for (let flushed = 0; flushed < FLUSHES; flushed++) {
      await redis.flushall()
      await pause(FLUSH_PAUSE_MS)
    }
  } finally {
    redis.disconnect()
  }
  return { from: performance.now() }
}

/** What a crash of the machine leaves behind: the end of the file, a few bytes or half of it, is gone. */
async function cutShort(world: World, { index }: Turn) {
  const [killed] = world.network.pids('redis')
  await withoutRedis(world, (file) => {
    const { size } = statSync(file)
    const lost = [7, 4_096, Math.floor(size / 2)][index % 3]!
    truncateSync(file, Math.max(0, size - lost))
  })
  return { from: performance.now(), back: () => untilAnew(world, 'redis', [killed!]) }
}

/**
 * Redis refuses to start on such a file, until the operator mends it or takes it away. Both are tried:
 * nothing in it is the only copy.
 */
async function damage(world: World, { index }: Turn) {
  const [killed] = world.network.pids('redis')
  await withoutRedis(world, (file) => {
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(64, '?'), 0, 64, Math.floor(statSync(file).size / 2))
    closeSync(handle)
  })
  await pause(FAULT_MS)
  const mends = index % 2 === 0
  await withoutRedis(world, (file, folder) => {
    if (mends) mend(folder)
    else rmSync(folder, { recursive: true })
    return file
  })
  return {
    from: performance.now(),
    back: () => untilAnew(world, 'redis', [killed!]),
    note: mends ? 'mended by redis-check-aof' : 'file removed',
  }
}

function mend(folder: string): void {
  const manifest = join(folder, 'appendonly.aof.manifest')
  execFileSync('redis-check-aof', ['--fix', manifest], {
    input: 'y\n',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

/** Nobody starts it again while its files are worked on: the launcher is halted. */
async function withoutRedis(
  { network }: World,
  work: (file: string, folder: string) => unknown,
): Promise<void> {
  const folder = join(network.dataDir, 'redis', 'appendonlydir')
  process.kill(network.launcherPid, 'SIGSTOP')
  try {
    for (const pid of network.pids('redis')) {
      if (!isGone(pid)) process.kill(pid, 'SIGKILL')
      await until('Redis has ended', () => isGone(pid))
    }
    const file = readdirSync(folder).find((name) => name.endsWith('.incr.aof'))
    if (file === undefined) throw new Error(`no append-only file in ${folder}`)
    work(join(folder, file), folder)
  } finally {
    process.kill(network.launcherPid, 'SIGCONT')
  }
}

/** Ended, though a halted parent has not heard of it. */
function isGone(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return true
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

const BALLAST_BYTES = 64 * 1024
const END_MS = 5_000

async function fillDisk(world: World) {
  const { smallDisk, network } = world
  if (smallDisk === undefined) throw new Error('the journal has no disk of its own')
  const ballast = join(smallDisk, 'ballast')
  const handle = openSync(ballast, 'w')
  const over = performance.now() + FAULT_MS
  try {
    // What the server gives free is taken again.
    while (performance.now() < over) {
      fill(handle)
      await pause(FLUSH_PAUSE_MS)
    }
  } finally {
    closeSync(handle)
    rmSync(ballast)
  }
  // It takes nothing any more, with all the room in the world, until it is started anew.
  const [pid] = network.pids('nats')
  if (pid === undefined) throw new Error('nats-server has ended')
  const note = await endByHand(pid)
  return { from: performance.now(), back: () => untilAnew(world, 'nats', [pid]), note }
}

/** Older servers hang in such a way that only SIGKILL ends them. */
async function endByHand(pid: number): Promise<string> {
  process.kill(pid, 'SIGTERM')
  const over = performance.now() + END_MS
  while (!isGone(pid)) {
    if (performance.now() > over) {
      process.kill(pid, 'SIGKILL')
      await until('nats-server has ended', () => isGone(pid))
      return 'ended by SIGKILL'
    }
    await pause(FLUSH_PAUSE_MS)
  }
  return 'ended by SIGTERM'
}

function fill(handle: number): void {
  try {
    while (writeSync(handle, Buffer.alloc(BALLAST_BYTES)) === BALLAST_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
