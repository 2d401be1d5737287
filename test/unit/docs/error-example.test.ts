import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Balances } from '../../../src/api/balances.ts'
import { errorBody, type RefusalError } from '../../../src/api/http/errors.ts'
import { toCredits } from '../../../src/domain/credits.ts'
import { toAddress } from '../../../src/domain/ids.ts'
import { reserveCredits } from '../../../src/edge/chat/reserve-credits.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

const Errors = suite('page on errors')

const page = readFileSync(
  new URL('../../../src/docs/api-reference/errors.md', import.meta.url),
  'utf8',
)

Errors('its example is what such a request is answered with, word for word', async () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const wanted = {
    wallet: toAddress(`0x${'1'.repeat(40)}`),
    tier: 'standard',
    maxTokens: undefined,
    answerMax: 100,
    returning: toCredits(0),
  } as const
  const funds = { type: 'insufficient', remaining: toCredits(3), returning: toCredits(0) } as const
  const look = () => assert.unreachable('nothing is on its way') as never
  const world = { balances: {} as Balances, look, clock: systemClock }
  try {
    await reserveCredits(world, wanted, async () => funds)
    assert.unreachable()
  } catch (error) {
    assert.equal(JSON.parse(example), errorBody((error as RefusalError).refusal, '{{docs_url}}'))
  }
})

Errors.run()
