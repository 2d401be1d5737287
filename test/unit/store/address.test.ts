import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { OperatorError } from '../../../src/domain/operator-error.ts'
import { redisAddress } from '../../../src/store/address.ts'

const Address = suite('REDIS_URL')

for (const right of [
  ...['redis://127.0.0.1:6379', 'rediss://edge:p-1@redis.example.com', 'redis://:p@[::1]:6379/3'],
  `redis://edge:${encodeURIComponent('@:/#?% ,&=')}@redis:6379`,
]) {
  Address(`${right} is one`, () => {
    assert.is(redisAddress(right), right)
    assert.is(redisAddress(`${right} \r`), right)
  })
}

for (const wrong of [
  ...['', ' ', '6379', '/run/redis.sock', '127.0.0.1:6379', 'redis://', 'http://127.0.0.1:6379'],
  ...['redis://edge:sec#ret@redis:6379', 'redis://edge:sec/ret@redis:6379'],
  ...['redis://edge:sec%ret@redis:6379', 'redis://redis:port'],
]) {
  Address(
    `${JSON.stringify(wrong)} is the operator\u2019s to put right, and is not repeated`,
    () => {
      try {
        redisAddress(wrong)
      } catch (error) {
        assert.instance(error, OperatorError)
        assert.match(
          (error as Error).message,
          /^REDIS_URL must be redis:\/\/user:password@host:port/,
        )
        return assert.not.match((error as Error).message, /sec|ret/)
      }
      assert.unreachable('it is taken')
    },
  )
}

Address.run()
