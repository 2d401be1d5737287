import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Actor } from '../../src/runtime/actor.ts'
import type { Log } from './chain/scene.ts'
import type { LifeNeeds } from './life.ts'
import { liveSeeds } from './seeds.ts'

/**
 * Each of these breaks one promise that the house stands on, under the feet of the real code. Were the
 * simulation blind to it, no seed would fail.
 */
const MUTANTS: Readonly<Record<string, NonNullable<LifeNeeds['mutate']>>> = {
  'a stream of deliveries that loses every third': ({ nats }) => {
    const stream = nats.stream('HOOK')
    const store = stream.store.bind(stream)
    stream.store = (subject, data, at, options) => {
      const stored = store(subject, data, at, options)
      if (stored.seq % 3 === 0) stream.remove(stored.seq)
      return stored
    }
  },
  'a journal that takes appends of owners that lost their place': ({ nats }) => {
    const stream = nats.stream('JOB')
    const store = stream.store.bind(stream)
    stream.store = (subject, data, at) => store(subject, data, at, {})
  },
  'a node that never shows settlements': hidesLogs(
    (log) => log.name === 'fact' && log.fact.type === 'settled',
  ),
  'a node that never shows deposits': hidesLogs(
    (log) => log.name === 'fact' && log.fact.type === 'deposited',
  ),
  'a stream of facts that loses every third': ({ nats }) => {
    const stream = nats.stream('FACT')
    const store = stream.store.bind(stream)
    stream.store = (subject, data, at, options) => {
      const stored = store(subject, data, at, options)
      if (stored.seq % 3 === 0) stream.remove(stored.seq)
      return stored
    }
  },
  'a store that hides the vouchers that have run out': ({ redis }) => {
    const perform = redis.perform.bind(redis)
    redis.perform = (command, args) =>
      command === 'ZRANGEBYSCORE' && args[0] === 'vouchers' ? [] : perform(command, args)
  },
  'a store that loses a job of each list': ({ redis }) => {
    const perform = redis.perform.bind(redis)
    let listed = 0
    redis.perform = (command, args) => {
      const isLost = command === 'ZADD' && args[0]?.startsWith('jl:') && ++listed % 3 === 0
      return isLost ? 1 : perform(command, args)
    }
  },
  'actors that go on when their partition has gone to another host': () => {
    Actor.prototype.giveUp = () => {}
  },
}

function hidesLogs(isHidden: (log: Log) => boolean): NonNullable<LifeNeeds['mutate']> {
  return ({ settlement: { chain } }) => {
    chain.onBlock(() => {
      const included = chain.head.included.map((each) => ({
        ...each,
        logs: each.logs.filter((log) => !isHidden(log)),
      }))
      Object.assign(chain.head, { included })
    })
  }
}

/** Those that take longer to be met are met in some of so many lives. */
const SEEDS_MOST = 3_000

const CanSee = suite('the simulation notices')
const { giveUp } = Actor.prototype

CanSee.after.each(() => {
  Actor.prototype.giveUp = giveUp
})

for (const [name, mutate] of Object.entries(MUTANTS)) {
  CanSee(name, async () => {
    let failedAt: number | undefined
    await liveSeeds({
      from: 1,
      count: SEEDS_MOST,
      mutate,
      each: ({ seed, failures }) => {
        if (failures.length === 0) return true
        failedAt = seed
        return false
      },
    })
    assert.ok(failedAt !== undefined, `not within ${SEEDS_MOST} seeds`)
  })
}

CanSee.run()
