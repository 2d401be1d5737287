import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { firstTokenBudgetMs, promptTokensOf } from '../../../src/pool/attempt/first-token-budget.ts'

const Budget = suite('first token budget')

const usual = { medianMs: 1_000, promptTokens: 0, leftMs: 120_000 }

Budget('three times what the worker mostly needs', () => {
  assert.is(firstTokenBudgetMs(usual), 3_000)
})

Budget('a quick worker has two seconds all the same', () => {
  assert.is(firstTokenBudgetMs({ ...usual, medianMs: 40 }), 2_000)
})

Budget('one that has shown nothing yet may have a model to load', () => {
  assert.is(firstTokenBudgetMs({ ...usual, medianMs: undefined }), 5_000)
})

Budget('it grows with the prompt', () => {
  assert.is(firstTokenBudgetMs({ ...usual, promptTokens: 8_000 }), 11_000)
  const messages = [{ role: 'user' as const, content: 'x'.repeat(4_001) }]
  assert.is(promptTokensOf({ model: 'm', messages, sampling: {} }), 1_001)
})

Budget('the second worker has as much time as the first', () => {
  assert.is(firstTokenBudgetMs({ ...usual, medianMs: 60_000, leftMs: 20_000 }), 10_000)
  assert.is(firstTokenBudgetMs({ ...usual, leftMs: -5 }), 0)
})

Budget.run()
