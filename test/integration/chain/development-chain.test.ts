import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeRpc, type Rpc } from '../../../src/chain/rpc/json-rpc.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { untilChainIsKept } from '../../../src/network/chain/chain-setup.ts'
import {
  type ChainState,
  chainStateFiles,
  hasChainState,
  keepChainState,
} from '../../../src/network/chain/chain-state.ts'
import { serveGenesis } from '../../../src/network/chain/genesis.ts'
import { dataDirAt, openDataDir } from '../../../src/network/data/data-dir.ts'
import { findAnvil } from '../../../src/network/programs/programs.ts'
import { chainArguments } from '../../../src/network/servers/servers.ts'
import { furnish } from '../../fakes/chain/anvil.ts'
import { until } from '../../until.ts'
import { type Server, startServer } from '../servers.ts'

/** The chain of `npm start`: anvil on a block that the launcher serves. */
const DevelopmentChain = suite('development chain')

const CREDITS = toCredits(500n)
const CLOCK_SLACK_S = 3
/** A file that rested so long is written to its end. */
const FINISHED_MS = 1_100

let genesis: string
let server: Server
let rpcUrl: string
let rpc: Rpc
let dir: string
let kept: ChainState

DevelopmentChain.before(async () => {
  genesis = await serveGenesis()
  server = await startServer('chain', (port, folder) => {
    dir = folder
    const state = dataDirAt(folder).chainState
    kept ??= keepChainState(state)
    // It may have been killed while it wrote.
    kept.recover()
    return [findAnvil(), ...chainArguments({ port, state, genesis })]
  })
  rpcUrl = server.url.replace('chain:', 'http:')
  rpc = makeRpc(rpcUrl)
})
DevelopmentChain.after(async () => {
  await rpc?.close()
  await server?.stop()
})

interface Block {
  readonly number: string
  readonly timestamp: string
  readonly stateRoot: string
}
/** What was set aside last, which nobody writes any more. */
const setAside = () => chainStateFiles(kept.file)[1]!
const newestBlock = () => rpc.call<Block>('eth_getBlockByNumber', ['latest', false])

const funded = async () => (await furnish({ rpcUrl, dir }, CREDITS)).wallet

DevelopmentChain('killed, it goes on with what it had, by the clock of the day', async () => {
  assert.is((await funded()).funded, true)
  const before = await newestBlock()
  await untilChainIsKept(dataDirAt(dir), Date.now())
  await until('what it wrote to be set aside', () => {
    kept.setAside()
    return existsSync(setAside())
  })

  await server.crash()

  assert.equal(await newestBlock(), before)
  // The contracts are found where they were, and the wallet has what it bought.
  assert.equal(await funded(), { funded: false, available: CREDITS })
  await rpc.call('evm_mine', [])
  const after = await newestBlock()
  assert.is(Number(after.number), Number(before.number) + 1)
  assert.ok(Math.abs(Number(after.timestamp) - Date.now() / 1_000) < CLOCK_SLACK_S, 'its clock')
})

DevelopmentChain('what was written in part, or beside a block, is not started on', () => {
  const keep = keepChainState(join(mkdtempSync(join(dir, 'kept-')), 'chain.json'))
  const whole = readFileSync(setAside(), 'utf8')
  const { best_block_number: newest, ...rest } = JSON.parse(whole)
  // Its accounts have done what its newest block says; the blocks end before.
  const beside = JSON.stringify({ ...rest, best_block_number: newest - 1 })
  const startOn = (text: string) => {
    writeFileSync(keep.file, text)
    keep.recover()
    return readFileSync(keep.file, 'utf8') === text
  }

  assert.not(startOn(beside) && startOn(whole.slice(0, -10)), 'one that can be read is better')
  assert.is(readFileSync(keep.file, 'utf8'), beside)
  assert.ok(startOn(whole), 'a whole one')
  for (const broken of [beside, whole.slice(0, -10), '']) {
    assert.not(startOn(broken))
    assert.is(readFileSync(keep.file, 'utf8'), whole)
  }
})

DevelopmentChain('one that was killed while it wrote for the first time begins anew', async () => {
  const data = dataDirAt(mkdtempSync(join(dir, 'kept-')))
  const keep = keepChainState(data.chainState)
  const isKept = untilChainIsKept(data, 0).then(() => true)
  const whole = readFileSync(setAside(), 'utf8')
  writeFileSync(keep.file, whole.slice(0, -10))
  writeFileSync(data.contractsFile, '{}')
  assert.not(await Promise.race([isKept, pause(200)]), 'a part is nothing to go on with')
  assert.not(hasChainState(keep.file))
  openDataDir(data, false)
  assert.not(existsSync(keep.file) || existsSync(data.contractsFile))

  writeFileSync(keep.file, whole.slice(0, -10))
  keep.recover()
  assert.not(existsSync(keep.file), 'no node starts on it')
  writeFileSync(keep.file, whole)
  assert.ok(await isKept)
})

DevelopmentChain('what was written is set aside once it is finished', async () => {
  const state = { best_block_number: 0, accounts: {}, transactions: [] }
  const [startedOn, written] = [1, 2].map((mark) => JSON.stringify({ ...state, mark })) as [
    string,
    string,
  ]
  const keep = keepChainState(join(mkdtempSync(join(dir, 'kept-')), 'chain.json'))
  writeFileSync(keep.file, startedOn)
  keep.recover()
  await pause(FINISHED_MS)
  keep.setAside()
  assert.is(readFileSync(keep.file, 'utf8'), startedOn)

  writeFileSync(keep.file, written)
  keep.setAside()
  assert.is(readFileSync(keep.file, 'utf8'), written)
  await pause(FINISHED_MS)
  keep.setAside()
  assert.not(existsSync(keep.file))
  assert.ok(hasChainState(keep.file))
  keep.recover()
  assert.is(readFileSync(keep.file, 'utf8'), written)
})

DevelopmentChain(
  'its blocks take no longer for what is stored: none has a state root',
  async () => {
    const roots = new Set<string>()
    for (let block = Number((await newestBlock()).number); block > 0; block--) {
      const at = `0x${block.toString(16)}`
      roots.add((await rpc.call<Block>('eth_getBlockByNumber', [at, false])).stateRoot)
    }
    assert.is(roots.size, 1)
  },
)

DevelopmentChain('the beginning says what it does not know', async () => {
  const ask = (body: string) => fetch(genesis, { method: 'POST', body })
  for (const method of ['eth_call', 'hasOwnProperty']) {
    const unknown = await ask(JSON.stringify({ jsonrpc: '2.0', id: 7, method }))
    assert.equal(await unknown.json(), {
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32_601,
        message: `${method} asks for more than the beginning of the development chain has`,
      },
    })
  }
  assert.is((await ask('not JSON')).status, 400)
})

DevelopmentChain.run()
