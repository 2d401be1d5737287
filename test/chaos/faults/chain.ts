import { join } from 'node:path'
import { makeRpc } from '../../../src/chain/rpc/json-rpc.ts'
import { chainWrittenAt } from '../../../src/network/chain/chain-state.ts'
import { pause, until } from '../../until.ts'
import type { World } from '../world.ts'
import type { Fault } from './fault.ts'
import { untilAnew } from './processes.ts'

/** The chain loses, replaces and takes back what was sent to it; its node dies and is started anew. */

type Rpc = ReturnType<typeof makeRpc>

const WAITING_MS = 2_000
const BLOCK_MS = 500
const DEAR_BLOCKS = 10
const USUAL_FEE = '0x3b9aca00'
/** Far above what a first attempt offers, and then faster than every next one, below the cap of 500. */
const DEAR_GWEI = 40
const DEARER = 1.25
const REORG_BLOCKS = 3
/** Anvil writes its state every five seconds; and less than until the next. */
const [STATE_MS, LOST_MS] = [30_000, 2_700]

export const chainFaults: readonly Fault[] = [
  { name: 'chain: transactions dropped', world: 'usual', run: (world) => withRpc(world, drop) },
  { name: 'chain: transactions replaced', world: 'usual', run: (world) => withRpc(world, replace) },
  { name: 'chain: reorg of 3 blocks', world: 'usual', run: (world) => withRpc(world, reorg) },
  { name: 'chain: kill -9', world: 'usual', run: kill },
  { name: 'chain: restart', world: 'usual', run: restart },
]

async function withRpc(world: World, work: (rpc: Rpc) => Promise<string>) {
  const rpc = makeRpc(world.network.rpc_url)
  try {
    const note = await work(rpc)
    return { from: performance.now(), note }
  } finally {
    await rpc.close()
  }
}

/**
 * What has happened since the node last wrote a whole state is lost. Nobody sends a deposit again that a node
 * has forgotten, so those of the callers are in two states.
 */
async function kill(world: World) {
  const file = join(world.network.dataDir, 'chain.json')
  for (let state = 0; state < 2; state++) {
    const since = chainWrittenAt(file)
    await until('a state is written', async () => chainWrittenAt(file) > since, STATE_MS)
  }
  await pause(LOST_MS)
  return ended(world, 'SIGKILL')
}

/** It writes its state at the end. */
async function restart(world: World) {
  return ended(world, 'SIGTERM')
}

function ended(world: World, signal: NodeJS.Signals) {
  const pids = world.network.pids('chain')
  for (const pid of pids) process.kill(pid, signal)
  return { from: performance.now(), back: () => untilAnew(world, 'chain', pids) }
}

/** They wait for a block; before one comes the node forgets them. */
async function drop(rpc: Rpc): Promise<string> {
  await rpc.call('evm_setAutomine', [false])
  try {
    await pause(WAITING_MS)
    const dropped = await waiting(rpc)
    await rpc.call('anvil_dropAllTransactions', [])
    return `${dropped} dropped`
  } finally {
    await mineAgain(rpc)
  }
}

/** Blocks go by that cost more than was offered, until somebody offers more for the same nonce. */
async function replace(rpc: Rpc): Promise<string> {
  await rpc.call('evm_setAutomine', [false])
  const seen = new Map<string, Set<string>>()
  try {
    // So that something waits that was signed for the usual fee.
    await pause(WAITING_MS / 2)
    for (let block = 0; block < DEAR_BLOCKS; block++) {
      const fee = Math.round(DEAR_GWEI * DEARER ** block * 1e9)
      await rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${fee.toString(16)}`])
      await rpc.call('evm_mine', [])
      await pause(BLOCK_MS)
      for (const { nonce, from, hash } of await pending(rpc)) {
        const place = `${from} ${nonce}`
        seen.set(place, (seen.get(place) ?? new Set()).add(hash))
      }
    }
  } finally {
    await rpc.call('anvil_setNextBlockBaseFeePerGas', [USUAL_FEE])
    await mineAgain(rpc)
  }
  return `${[...seen.values()].filter(({ size }) => size > 1).length} replaced`
}

/**
 * Three blocks and more are not the chain's any more, and what was in them is nowhere. A block that anvil
 * makes while it goes back lands on top of blocks that are gone; so none is made at that moment.
 */
async function reorg(rpc: Rpc): Promise<string> {
  const snapshot = await rpc.call<string>('evm_snapshot', [])
  const before = await head(rpc)
  await until('three blocks', async () => (await head(rpc)) >= before + REORG_BLOCKS, 20_000)
  await rpc.call('evm_setAutomine', [false])
  try {
    await pause(BLOCK_MS)
    const lost = (await head(rpc)) - before
    if (!(await rpc.call<boolean>('evm_revert', [snapshot])))
      throw new Error('nothing was reverted')
    // The other branch is the longer one.
    for (let block = 0; block < lost; block++) await rpc.call('evm_mine', [])
    return `${lost} blocks`
  } finally {
    await mineAgain(rpc)
  }
}

async function mineAgain(rpc: Rpc): Promise<void> {
  await rpc.call('evm_setAutomine', [true])
  await rpc.call('evm_mine', [])
}

const head = async (rpc: Rpc): Promise<number> =>
  Number(await rpc.call<string>('eth_blockNumber', []))

const waiting = async (rpc: Rpc): Promise<number> => (await pending(rpc)).length

interface Waiting {
  readonly from: string
  readonly nonce: string
  readonly hash: string
}

async function pending(rpc: Rpc): Promise<readonly Waiting[]> {
  const { pending: pool } = await rpc.call<{
    pending: Record<string, Record<string, Waiting>>
  }>('txpool_content', [])
  return Object.values(pool).flatMap((byNonce) => Object.values(byNonce))
}
