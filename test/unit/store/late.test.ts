import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failLate } from '../../../src/store/late.ts'

const Late = suite('store: commands that are not answered')

const PATIENCE = { answerMs: 100, silenceMs: 300 }
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A Redis that answers each command with OK, but while it stands still. */
async function open() {
  let standsStill = false
  let sockets = 0
  const owed: (() => void)[] = []
  const server = createServer((socket: Socket) => {
    sockets++
    socket.on('error', () => socket.destroy())
    socket.on('data', (data) => {
      const commands = String(data).match(/^\*\d/gm)?.length ?? 0
      const answer = () => void socket.write('+OK\r\n'.repeat(commands))
      if (standsStill) owed.push(answer)
      else answer()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const redis = new Redis({
    ...{ port, host: '127.0.0.1', protocol: 2, enableOfflineQueue: false, lazyConnect: true },
    ...{ enableReadyCheck: false, disableClientInfo: true, maxRetriesPerRequest: 0 },
    ...{ autoResendUnfulfilledCommands: false, retryStrategy: () => 10 },
  })
  redis.on('error', () => {})
  failLate(redis, PATIENCE)
  await redis.connect()
  return {
    redis,
    stand: () => {
      standsStill = true
    },
    goOn: () => {
      standsStill = false
      for (const answer of owed.splice(0)) answer()
    },
    get connections() {
      return sockets
    },
    close: () => {
      redis.disconnect()
      server.close()
    },
  }
}

Late('one that stands still for a while after a quiet time keeps its connection', async () => {
  const house = await open()
  try {
    assert.is(await house.redis.set('a', 1), 'OK')
    await sleep(PATIENCE.silenceMs + 100)
    house.stand()
    const failed = await house.redis.set('a', 2).catch((error: Error) => error.message)
    assert.match(String(failed), 'did not answer within 100 ms')
    house.goOn()
    await sleep(50)
    assert.is(await house.redis.set('a', 3).catch((error: Error) => error.message), 'OK')
    assert.is(house.connections, 1)
  } finally {
    house.close()
  }
})

Late('one that stays silent is given up, though it is asked again and again', async () => {
  const house = await open()
  try {
    house.stand()
    const until = performance.now() + 2_000
    while (house.connections === 1 && performance.now() < until) {
      house.redis.set('a', 1).catch(() => {})
      await sleep(20)
    }
    assert.is(house.connections, 2)
  } finally {
    house.close()
  }
})

Late('one that stays silent is given up, though nobody asks again', async () => {
  const house = await open()
  try {
    house.stand()
    await house.redis.set('a', 1).catch(() => {})
    const until = performance.now() + 2_000
    while (house.connections === 1 && performance.now() < until) await sleep(20)
    assert.is(house.connections, 2)
  } finally {
    house.close()
  }
})

Late.run()
