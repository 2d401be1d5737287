import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeClaims } from '../../../actors/keeper/claims.ts'
import type { Hands, Performed } from '../../../actors/keeper/hands.ts'
import { EMPTY, type Watch } from '../../../actors/keeper/state.ts'
import { type TokenUnits, toCredits } from '../../../src/domain/credits.ts'
import type { Earner, KeeperReader } from '../../../src/ports/keeper.ts'

/** Who is paid what it has earned, and who is watched on. */
const Claims = suite('keeper: claims')

const NOW = 1_800_000_000
const HEAD = 1_000
/** 10 000 units: as much is paid at once, less waits for a day. */
const minimum = toCredits(1)

interface Scene {
  readonly units?: number
  readonly total?: number
  readonly ready?: boolean
  readonly outcome?: Performed
}

function open({ units = 0, total = units, ready = true, outcome = 'done' }: Scene = {}) {
  const looked: Earner[] = []
  const rested: unknown[] = []
  const performed: unknown[] = []
  const reader = {
    earningsOf: async (earner: Earner) => {
      looked.push(earner)
      return { claimable: BigInt(units) as TokenUnits, total: BigInt(total) as TokenUnits }
    },
  } as unknown as KeeperReader
  const hands = {
    isReady: () => ready,
    rest: (call: unknown) => void rested.push(call),
    perform: async (call: unknown) => {
      performed.push(call)
      return outcome
    },
  } as unknown as Hands
  const claim = (block: number, since = NOW - 10) => {
    const watch: Watch = { ...EMPTY, earners: new Map([[7, { since, block }]]) }
    return makeClaims({ reader, hands, minimum })([7], watch, { now: NOW, head: HEAD })
  }
  return { claim, looked, rested, performed }
}

Claims('enough: paid, and the next day counts from now', async () => {
  const { claim, performed } = open({ units: 10_000 })
  const { watch, acted } = await claim(990)
  assert.ok(acted)
  assert.is(performed.length, 1)
  assert.equal(watch.earners.get(7), { since: NOW, block: 990 })
})
Claims('not paid after all: due as before', async () => {
  const { claim } = open({ units: 10_000, outcome: 'not_done' })
  const { watch, acted } = await claim(990)
  assert.not(acted)
  assert.equal(watch.earners.get(7), { since: NOW - 10, block: 990 })
})
Claims('too little: looked at again later, and paid after a day', async () => {
  const few = open({ units: 9_999 })
  assert.not((await few.claim(990)).acted)
  assert.equal([few.rested.length, few.performed.length], [1, 0])
  assert.ok((await open({ units: 1 }).claim(990, NOW - 86_400)).acted)
})
Claims(
  'nothing: forgotten once no chain that goes back can bring it, and not while some is held',
  async () => {
    const isWatched = async (block: number, total = 0) =>
      (await open({ total }).claim(block)).watch.earners.has(7)
    assert.equal([await isWatched(HEAD - 64), await isWatched(HEAD - 65)], [true, false])
    assert.ok(await isWatched(HEAD - 65, 500))
  },
)
Claims('under way already: the chain is not asked', async () => {
  const { claim, looked } = open({ units: 10_000, ready: false })
  assert.not((await claim(990)).acted)
  assert.equal(looked, [])
})

Claims.run()
