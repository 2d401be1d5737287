import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toCredits } from '../../../src/domain/credits.ts'
import { toHex32 } from '../../../src/domain/ids.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import { WALLET } from '../../fakes/chain/intents.ts'
import { makeRandom } from '../../simulation/random.ts'
import { connectSimRedis } from '../../simulation/redis/connect.ts'
import { openScripts } from '../../simulation/redis/lua.ts'
import { SimRedis } from '../../simulation/redis/server.ts'
import type { Node, World } from '../../simulation/world.ts'

/** While all is forgotten wallets are read anew, perhaps at a node that has not heard of the reorg. */
const Forget = suite('store: a wallet that is read while all is forgotten')

const READ = { block: 10, blockHash: toHex32(`0x${'aa'.repeat(32)}`) }
const ACCOUNT = { available: toCredits(500), locked: toCredits(0), lastTopupAt: null }
/** A read takes three commands: it is noted, loaded, and noted again. */
const READ_COMMANDS = 3
/** More than forgetting has commands. */
const COMMANDS_MAX = 9
const SCRIPTS = await openScripts()

async function open() {
  const world = {
    random: makeRandom(1),
    now: () => toUnixMs(1_800_000_000_000),
    history: { add: () => {} },
  } as unknown as World
  const redis = new SimRedis(world, SCRIPTS)
  /** @param before each command of this process */
  const connect = (before: () => Promise<void>) => {
    const call = async (_service: string, act: () => unknown) => {
      await before()
      return act()
    }
    return connectSimRedis(redis, { call, onDeath: () => {} } as unknown as Node).ledger
  }
  return { connect, ledger: connect(async () => {}) }
}

/** @param turns before which command of forgetting each command of the read comes */
async function readWhileForgetting(turns: readonly number[]) {
  const { connect, ledger } = await open()
  const read = [
    () => ledger.noteRead(READ),
    () => ledger.load(WALLET, { ...ACCOUNT, ...READ }),
    () => ledger.noteRead(READ),
  ]
  // Somebody else has read at that block before.
  await ledger.noteRead(READ)
  await ledger.load(WALLET, { ...ACCOUNT, ...READ })
  let command = 0
  let done = 0
  const forgetting = connect(async () => {
    for (; done < READ_COMMANDS && turns[done] === command; done++) await read[done]!()
    command++
  })
  await forgetting.forget()
  for (; done < READ_COMMANDS; done++) await read[done]!()
  return { balance: await ledger.balance(WALLET), reads: await ledger.reads(READ.block) }
}

Forget(
  'is forgotten as well, or its block is looked for, in whatever order they come',
  async () => {
    for (let first = 0; first < COMMANDS_MAX; first++) {
      for (let second = first; second < COMMANDS_MAX; second++) {
        for (let third = second; third < COMMANDS_MAX; third++) {
          const { balance, reads } = await readWhileForgetting([first, second, third])
          if (balance === 'unknown_wallet') continue
          assert.equal(reads, [READ], `noted before ${first}, loaded ${second}, noted ${third}`)
        }
      }
    }
  },
)

Forget('all is forgotten where nobody reads', async () => {
  const { ledger } = await open()
  await ledger.noteRead(READ)
  await ledger.load(WALLET, { ...ACCOUNT, ...READ })
  await ledger.forget()
  assert.is(await ledger.balance(WALLET), 'unknown_wallet')
  assert.equal(await ledger.reads(READ.block), [])
})

Forget.run()
