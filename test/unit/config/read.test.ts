import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../../src/config/read.ts'
import { edgeSchema } from '../../../src/config/schema.ts'
import { workerSchema } from '../../../src/config/worker-schema.ts'

const Read = suite('config: values as files have them')

Read('an empty one, or one of blanks, is not set: no number becomes 0 by it', () => {
  const standard = readConfig(edgeSchema, {})
  for (const blank of ['', ' ', '\t', '\r']) {
    const { EDGE_BURST, EDGE_PORT, LEAVE_SECONDS, REDIS_URL } = readConfig(edgeSchema, {
      ...{ EDGE_BURST: blank, EDGE_PORT: blank, LEAVE_SECONDS: blank, REDIS_URL: blank },
    })
    assert.equal(
      [EDGE_BURST, EDGE_PORT, LEAVE_SECONDS, REDIS_URL],
      [standard.EDGE_BURST, standard.EDGE_PORT, standard.LEAVE_SECONDS, standard.REDIS_URL],
    )
  }
})

Read('blanks around a value, and line ends of another system, are no part of it', () => {
  const given = { LOG_LEVEL: 'warn\r', CONTRACTS_FILE: ' contracts.json ' }
  const { LOG_LEVEL, CONTRACTS_FILE } = readConfig(edgeSchema, given)
  assert.equal([LOG_LEVEL, CONTRACTS_FILE], ['warn', 'contracts.json'])
})

Read('of a password they are', () => {
  assert.is(readConfig(workerSchema, { WORKER_PASSWORD: ' p ' }).WORKER_PASSWORD, ' p ')
})

Read('an address with a digit that is off is refused: what is paid there is lost', () => {
  const good = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  assert.is(readConfig(workerSchema, { WORKER_PAYEE: good }).WORKER_PAYEE, good)
  const refused = (payee: string) => () => readConfig(workerSchema, { WORKER_PAYEE: payee })
  assert.throws(refused(good.replace('5aA', '6aA')), /WORKER_PAYEE: has a wrong checksum/)
  assert.throws(refused(`0x${'0'.repeat(40)}`), /WORKER_PAYEE: must not be zero/)
})

Read.run()
