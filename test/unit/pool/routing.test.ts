import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Address, toAddress } from '../../../src/domain/ids.ts'
import {
  A,
  B,
  RegistryHouse as House,
  job,
  later,
  NOW,
  W1,
  W2,
} from '../../fakes/pool/registry-house.ts'

const wallet = (n: number): Address => toAddress(`0x${String(n).padStart(40, '0')}`)

const Fair = suite('routing: fair between wallets')

/** Lets one worker take what waits, one job after the other; whose jobs they were. */
function takenInTurn(
  house: House,
  wallets: ReadonlyMap<number, Address>,
  running: number,
): Address[] {
  const order: Address[] = []
  for (let n: number | undefined = running; n !== undefined; ) {
    const held: string | undefined = house
      .free(A, n, 'finished', { wallet: wallets.get(n)! })
      .find((event) => event.startsWith('JobHeld'))
    n = held === undefined ? undefined : Number(held.split(' ')[1])
    if (n !== undefined) order.push(wallets.get(n)!)
  }
  return order
}

Fair('two hundred jobs of one wallet do not hold up one job of another', () => {
  const house = new House()
  house.join(A)
  const wallets = new Map<number, Address>()
  for (let n = 1; n <= 200; n++) {
    wallets.set(n, W1)
    house.place(n)
  }
  wallets.set(201, W2)
  house.place(201, [], 'm', { wallet: W2 })
  assert.is(takenInTurn(house, wallets, 1).indexOf(W2), 1, 'after one turn of the other')
})

Fair('wallets take turns, and the jobs of one keep their order', () => {
  const house = new House()
  house.join(A)
  const wallets = new Map([1, 2, 3, 4, 5, 6].map((n) => [n, n < 4 ? W1 : W2]))
  for (const [n, each] of wallets) house.place(n, [], 'm', { wallet: each })
  assert.equal(takenInTurn(house, wallets, 1), [W1, W2, W1, W2, W2])
})

Fair('a wallet has one turn over all models, however many it waits for', () => {
  const house = new House()
  house.join(A, 1, ['m', 'n'])
  const wallets = new Map([1, 2, 3, 4, 5].map((n) => [n, W1]))
  house.place(1)
  for (const n of [2, 3]) house.place(n, [], 'm')
  for (const n of [4, 5]) house.place(n, [], 'n')
  for (const n of [6, 7]) {
    wallets.set(n, W2)
    house.place(n, [], 'n', { wallet: W2 })
  }
  assert.equal(takenInTurn(house, wallets, 1), [W1, W2, W1, W2, W1, W1])
})

Fair('a newcomer with many slots takes of each wallet before it takes twice of one', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  for (const n of [2, 3, 4]) house.place(n)
  for (const n of [5, 6]) house.place(n, [], 'm', { wallet: wallet(n) })
  const taken = house.join(B, 3).filter((event) => event.startsWith('JobHeld'))
  assert.equal(taken, ['JobHeld 2 b', 'JobHeld 5 b', 'JobHeld 6 b'])
})

Fair.run()

const Weighed = suite('routing: weighed')

const loser = (house: House, n: number) => {
  house.picks = [0, 0]
  return house.place(n)[0]
}

Weighed('speed counts by model', () => {
  const house = new House()
  for (const address of [A, B]) house.join(address, 1, ['m', 'n'])
  house.see(A, 100, 'm')
  house.see(B, 500, 'm')
  house.see(A, 500, 'n')
  house.see(B, 100, 'n')
  assert.equal(house.place(1, [], 'm'), ['JobHeld 1 a'])
  house.free(A, 1)
  assert.equal(house.place(2, [], 'n'), ['JobHeld 2 b'])
})

Weighed('of two alike, the one that finishes more of its jobs', () => {
  const house = new House()
  house.join(A)
  house.join(B)
  for (const address of [A, B]) house.see(address, 100)
  house.place(1, [B])
  house.free(A, 1, 'failed')
  assert.is(loser(house, 2), 'JobHeld 2 b')
})

Weighed('one that has shown nothing gets one job first, and no flood of them', () => {
  const house = new House()
  house.join(A, 8)
  house.see(A, 100)
  house.join(B, 8)
  assert.is(loser(house, 1), 'JobHeld 1 b')
  assert.is(loser(house, 2), 'JobHeld 2 a')
})

Weighed(
  'one that refuses what is asked of it, and so is never measured, is not always first',
  () => {
    const house = new House()
    for (const each of [A, B]) house.join(each, 8)
    house.see(B, 100)
    const taken = [1, 2, 3, 4].map((n) => {
      house.picks = [n % 2, 0]
      const [held] = house.place(n)
      house.free(held?.endsWith('a') ? A : B, n, held?.endsWith('a') ? 'neutral' : 'finished')
      return held
    })
    assert.equal(taken, ['JobHeld 1 a', 'JobHeld 2 a', 'JobHeld 3 b', 'JobHeld 4 a'])
  },
)

Weighed('a slow one is measured again, now and then', () => {
  const house = new House()
  house.join(A)
  house.join(B)
  house.see(A, 9_000)
  house.see(B, 100)
  house.picks = [0, 0, 31]
  assert.equal(house.place(1), ['JobHeld 1 a'])
})

Weighed('only one with a larger context, where a smaller one was not enough', () => {
  const house = new House()
  house.join(A)
  const larger = { address: B, workerId: 2, models: new Map([['m', 8_192]]), slots: 1 }
  const placement = { jobId: job(1), wallet: W1, model: 'm', exclude: new Set<Address>() }
  const place = (contextAbove: number) =>
    house.say({ type: 'Place', placement: { ...placement, contextAbove }, mayWait: true, at: NOW })
  assert.equal(place(4_096), [])
  house.say({ type: 'Join', profile: larger, at: NOW })
  assert.equal(place(4_096), ['JobHeld 1 b'])
})

Weighed('what must not wait is not queued', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  assert.equal(house.place(2, [], 'm', { mayWait: false }), [])
})

Weighed.run()

const Blame = suite('routing: whose fault')

const fails = (house: House, n: number, of: Address, at = NOW) => {
  const placed = house.place(n, [], 'm', { wallet: of, at })
  house.free(A, n, 'failed', { wallet: of, at })
  return placed
}

Blame('a prompt that breaks engines benches no worker for other callers', () => {
  const house = new House()
  house.join(A)
  for (const n of [1, 2]) assert.equal(fails(house, n, W1), [`JobHeld ${n} a`])
  assert.equal(house.place(3), ['JobQueued'], 'kept from the caller whose jobs fail')
  assert.equal(house.place(4, [], 'm', { wallet: W2 }), ['JobHeld 4 a'])
})

Blame('failures for two callers in a row bench it, longer and longer', () => {
  const house = new House()
  house.join(A)
  fails(house, 1, W1)
  fails(house, 2, W2)
  const conduct = house.registry.workers.get(A)!.conduct
  assert.is(conduct.restUntil, later(250))
  for (const n of [3, 4]) fails(house, n, wallet(n), conduct.restUntil)
  assert.is(conduct.restUntil, later(250 + 500 + 1_000))
})

Blame('after the rest it gets one job, and the others when that one is finished', () => {
  const house = new House()
  house.join(A, 4)
  fails(house, 1, W1)
  fails(house, 2, W2)
  const third = { wallet: wallet(3), at: later(250) }
  for (const n of [3, 4, 5]) house.place(n, [], 'm', third)
  assert.is(house.registry.workers.get(A)!.jobs.size, 1)
  house.free(A, 3, 'finished', third)
  assert.is(house.registry.workers.get(A)!.jobs.size, 2)
})

Blame('who breaks the rules rests at once, and a good answer does not make up for it', () => {
  const house = new House()
  house.join(A, 2)
  house.place(1)
  house.place(2)
  house.free(A, 1, 'broke')
  house.free(A, 2, 'finished')
  assert.equal(house.place(3), ['JobQueued'])
  assert.equal(house.say({ type: 'Wake', at: later(9_999) }), [])
  assert.equal(house.say({ type: 'Wake', at: later(10_000) }), ['JobUnqueued 3', 'JobHeld 3 a'])
})

Blame('dialling anew wipes nothing', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.free(A, 1, 'broke')
  house.leave(A)
  house.join(A)
  assert.equal(house.place(2), ['JobQueued'])
})

Blame('dialling anew while jobs wait: it takes none before its rest is over', () => {
  const house = new House()
  house.join(A)
  house.place(1)
  house.free(A, 1, 'broke')
  house.place(2)
  assert.equal(house.join(A), ['WorkerLeft a', 'WorkerJoined'], 'in place of its own session')
  house.join(B)
  house.place(3)
  house.leave(A)
  assert.equal(house.join(A), ['WorkerJoined'], 'after it had left')
})

Blame('what is nobody’s fault costs nothing', () => {
  const house = new House()
  house.join(A)
  for (const [n, outcome] of (['declined', 'neutral', 'neutral', 'declined'] as const).entries()) {
    assert.equal(house.place(n), [`JobHeld ${n} a`])
    house.free(A, n, outcome)
  }
  assert.equal(house.registry.workers.get(A)!.conduct.outcomes, [])
})

Blame.run()
