import type { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { refuseEviction } from '../../../src/store/eviction.ts'

const Eviction = suite('whether Redis evicts keys')

/** A Redis that says one thing after the other when it is asked. */
const saying = (...answers: (string | Error)[]) => {
  const info = async () => {
    const answer = answers.shift()
    if (typeof answer === 'string') return answer
    throw answer ?? new Error('asked too often')
  }
  return { info } as unknown as Redis
}
const KEEPS = 'maxmemory:100\r\nmaxmemory_policy:noeviction\r\n'

Eviction('one that is away is waited for', async () => {
  await refuseEviction(saying(new Error('Connection is closed.'), KEEPS))
})

Eviction('a user that may not ask is told of, and not waited for', async () => {
  const refused = new Error("NOPERM User edge has no permissions to run the 'info' command")
  const error = await refuseEviction(saying(refused)).catch((error: unknown) => error)
  assert.instance(error, OperatorError)
  assert.match((error as Error).message, 'with the user of REDIS_URL: NOPERM User edge has no')
})

Eviction.run()
