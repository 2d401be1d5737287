import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requireModel } from '../../../src/api/models/known-model.ts'
import { meantModel } from '../../../src/api/models/meant-model.ts'
import type { CatalogueModel } from '../../../src/domain/models.ts'
import { toUnixMs } from '../../../src/domain/time.ts'
import type { Catalogue } from '../../../src/ports/catalogue.ts'

const Meant = suite('api: the model that was meant')

const NOW = toUnixMs(1_800_000_000_000)
const model = (id: string, retiresAt: number | null = null) =>
  ({ id, retiresAt: retiresAt === null ? null : toUnixMs(retiresAt) }) as CatalogueModel
const MODELS = [
  model('Qwen/Qwen3-8B'),
  model('Qwen/Qwen3-14B'),
  model('meta-llama/Llama-3.3-70B-Instruct'),
  model('Qwen/Qwen1-8B', NOW - 1),
]
const catalogue: Catalogue = {
  known: true,
  find: (id) => MODELS.find((each) => each.id === id),
  all: () => MODELS,
  onChange: () => () => {},
}

for (const [said, meant] of [
  ['qwen/qwen3-8b', 'Qwen/Qwen3-8B'],
  ['Qwen3-8B', 'Qwen/Qwen3-8B'],
  ['Qwen/Qwen3-14', 'Qwen/Qwen3-14B'],
  ['llama-3.3-70b-instruct', 'meta-llama/Llama-3.3-70B-Instruct'],
  ['gpt-4o', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
] as const) {
  Meant(`${said.slice(0, 40)} → ${meant}`, () => {
    assert.is(meantModel(catalogue, said, NOW)?.id, meant)
  })
}

Meant('the refusal names it', () => {
  const said = /no model `qwen3-8b`; did you mean `Qwen\/Qwen3-8B`\? GET \/v1\/models/
  assert.throws(() => requireModel(catalogue, 'qwen3-8b', NOW), said)
  assert.throws(() => requireModel(catalogue, 'gpt-4o', NOW), /no model `gpt-4o`\. GET/)
})

Meant.run()
