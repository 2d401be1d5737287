import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type ChainState,
  chainStateFiles,
  hasChainState,
  keepChainState,
} from '../../../src/network/chain/chain-state.ts'
import { dataDirAt, openDataDir } from '../../../src/network/data/data-dir.ts'

interface Context {
  folder: string
  kept: ChainState
}

const State = suite<Context>('what the development chain is kept in')

State.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chain-'))
  Object.assign(context, { folder, kept: keepChainState(join(folder, 'chain.json')) })
})
State.after.each(({ folder }) => {
  rmSync(folder, { recursive: true })
})

const RESTED_MS = 2_000
const MS = 1_000

/** As the node does every few seconds; it is looked at when it has rested. */
function write({ kept }: Context, text: string): void {
  writeFileSync(kept.file, text)
  const at = (Date.now() - RESTED_MS) / MS
  utimesSync(kept.file, at, at)
  kept.setAside()
}

const stateWith = (mark: string) =>
  JSON.stringify({ best_block_number: 0, accounts: {}, transactions: [], mark })

for (const [what, partOf] of [
  ['nothing', () => ''],
  ['a part', (whole: string) => whole.slice(0, -10)],
] as const) {
  State(`a disk that leaves room for ${what} of it takes away nothing that is whole`, (context) => {
    const { kept } = context
    const whole = stateWith('whole')
    write(context, whole)
    const parts = chainStateFiles(kept.file).length + 1
    for (let i = 0; i < parts; i++) write(context, partOf(whole))
    kept.recover()
    assert.is(readFileSync(kept.file, 'utf8'), whole)
  })
}

State('what is written in part the first time is nothing to go on with', (context) => {
  const { kept } = context
  write(context, stateWith('whole').slice(0, -10))
  assert.not(hasChainState(kept.file))
})

State(
  'where a cut of the power left parts alone, nothing that spoke of the chain stays',
  (context) => {
    const dir = dataDirAt(context.folder)
    const journal = join(dir.natsStore, 'journal')
    openDataDir(dir, false)
    for (const file of chainStateFiles(dir.chainState)) writeFileSync(file, '')
    writeFileSync(journal, 'of a chain that is gone')
    assert.not(hasChainState(dir.chainState))
    openDataDir(dir, false)
    assert.not(existsSync(journal))

    const [newest, aside] = chainStateFiles(dir.chainState)
    writeFileSync(newest!, '')
    writeFileSync(aside!, stateWith('whole'))
    writeFileSync(journal, 'of a chain that goes on')
    openDataDir(dir, false)
    assert.ok(existsSync(journal))
  },
)

State('a whole one is set aside, be it shorter than the one before', (context) => {
  const { kept } = context
  const shorter = stateWith('short')
  write(context, stateWith('rather long'))
  write(context, shorter)
  assert.not(existsSync(kept.file))
  kept.recover()
  assert.is(readFileSync(kept.file, 'utf8'), shorter)
})

State.run()
