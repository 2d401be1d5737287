import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeCatalogueFollower } from '../../../actors/catalogue/follower.ts'
import type { CatalogueModel } from '../../../src/domain/models.ts'
import { makeLog } from '../../../src/telemetry/log.ts'
import { ManualClock, rest } from '../../fakes/chain/manual-clock.ts'
import { MemoryRegistry } from '../../fakes/memory-registry.ts'

/** Where the node is silent. */
const Follower = suite('catalogue: follower')

function house() {
  const clock = new ManualClock()
  const questions: ((models: readonly CatalogueModel[]) => void)[] = []
  const follower = makeCatalogueFollower({
    models: { models: () => new Promise((resolve) => questions.push(resolve)) },
    blocks: { onBlock: () => () => {} },
    ...{ registry: new MemoryRegistry(), key: 'catalogue', clock, log: makeLog('test', 'silent') },
  })
  return { clock, questions, follower }
}

Follower('a stop does not wait for a node that does not answer', async () => {
  const { clock, questions, follower } = house()
  await follower.start()
  await rest()
  assert.is(questions.length, 1)
  let stopped = false
  void follower.stop().then(() => {
    stopped = true
  })
  await clock.advance(1_000)
  assert.not.ok(stopped, 'it may answer soon')
  await clock.advance(1_000)
  assert.ok(stopped)
  questions[0]!([])
  await clock.advance(60_000)
  assert.is(questions.length, 1, 'nobody asks any more')
})

Follower('what it says in time is waited for, and no longer', async () => {
  const { clock, questions, follower } = house()
  await follower.start()
  await rest()
  const stopped = follower.stop()
  questions[0]!([])
  await stopped
  await follower.start()
  await rest()
  assert.is(questions.length, 2, 'it can be started again')
  questions[1]!([])
  await clock.advance(30_000)
  assert.is(questions.length, 3)
})

Follower.run()
