import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  catalogueModel,
  isModelId,
  LAUNCH_LINEUP,
  lastJobsEndAt,
  modelStatus,
} from '../../../src/domain/models.ts'
import { addMs, toUnixMs } from '../../../src/domain/time.ts'

const Models = suite('models')

const LISTED_AT = toUnixMs(Date.UTC(2026, 5, 1))
const RETIRES_AT = toUnixMs(Date.UTC(2026, 6, 1))
const entry = {
  id: 'new/model',
  publisher: 'new',
  tier: 'pro',
  parameters: '20B',
  contextWindow: 65_536,
  listedAt: LISTED_AT,
  retiresAt: null,
} as const

Models('a model without a retirement is listed for ever, and so are its jobs', () => {
  assert.is(modelStatus(catalogueModel(entry), toUnixMs(Number.MAX_SAFE_INTEGER)), 'listed')
  assert.is(lastJobsEndAt(catalogueModel(entry)), null)
})

Models('a retirement that was announced takes effect in its very millisecond', () => {
  const model = catalogueModel({ ...entry, retiresAt: RETIRES_AT })
  assert.is(modelStatus(model, LISTED_AT), 'retiring')
  assert.is(modelStatus(model, addMs(RETIRES_AT, -1)), 'retiring')
  assert.is(modelStatus(model, RETIRES_AT), 'retired')
})

Models('a job that was accepted in the last moment has its whole window left', () => {
  const model = catalogueModel({ ...entry, retiresAt: RETIRES_AT })
  assert.ok(lastJobsEndAt(model)! >= addMs(RETIRES_AT, 150_000), 'the longest window')
})

Models('created: the release of the launch lineup, the listing of all others', () => {
  const known = LAUNCH_LINEUP[0]!
  assert.is(catalogueModel({ ...entry, id: known.id }).created, known.created)
  assert.is(catalogueModel(entry).created, LISTED_AT / 1_000)
})

Models('the launch lineup is what the registry would list', () => {
  for (const { id, publisher } of LAUNCH_LINEUP) {
    assert.ok(isModelId(id), id)
    assert.is(publisher, id.split('/')[0])
  }
  assert.is(new Set(LAUNCH_LINEUP.map(({ id }) => id)).size, LAUNCH_LINEUP.length)
})

Models('an id is printable, without spaces, and not too long', () => {
  for (const id of ['a', 'A/b:c', '~', 'x'.repeat(96)]) assert.ok(isModelId(id), id)
  for (const id of ['', 'a b', 'a\n', 'é', '\u007f', 'x'.repeat(97)]) assert.not(isModelId(id), id)
})

Models.run()
