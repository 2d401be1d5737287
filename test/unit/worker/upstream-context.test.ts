import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { contextWindows } from '../../../src/worker/engines/upstream-context.ts'

const Context = suite('upstream context')

const from = async (entry: object, answers: Record<string, unknown> = {}) => {
  const told = await contextWindows([{ id: 'm', ...entry }], async (path) => answers[path])
  return told.get('m')?.tokens
}

Context('vLLM and SGLang list it', async () => {
  assert.is(await from({ max_model_len: 16_384 }), 16_384)
})

Context('of llama.cpp the slot counts, not what the model was trained for', async () => {
  const entry = { owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }
  const props = { '/props': { default_generation_settings: { n_ctx: 8_192 } } }
  assert.is(await from(entry, props), 8_192)
  assert.is(await from(entry), 131_072)
})

Context('of Ollama the loaded model counts, then its Modelfile, then the default', async () => {
  const entry = { owned_by: 'library' }
  const loaded = { '/api/ps': { models: [{ model: 'm', context_length: 32_768 }] } }
  const named = { parameters: 'stop "<|end|>"\nnum_ctx                        16384' }
  const small = { model_info: { 'llama.context_length': 2_048 } }
  const large = { model_info: { 'llama.context_length': 131_072 } }
  assert.is(await from(entry, { ...loaded, '/api/show': named }), 32_768)
  assert.is(await from(entry, { '/api/ps': { models: [] }, '/api/show': named }), 16_384)
  assert.is(await from(entry, { '/api/show': large }), 4_096)
  assert.is(await from(entry, { '/api/show': small }), 2_048)
  assert.is(await from(entry), 4_096)
})

Context(
  'of LM Studio the loaded model counts; of one that is not loaded nothing is known',
  async () => {
    const entry = { owned_by: 'organization_owner' }
    const model = { id: 'm', state: 'loaded', max_context_length: 131_072 }
    const loaded = { ...model, loaded_context_length: 8_192 }
    const listed = (of: object) => ({ '/api/v0/models': { data: [{ id: 'other' }, of] } })
    assert.is(await from(entry, listed(loaded)), 8_192)
    assert.is(await from(entry, listed(model)), 0)
    assert.is(await from(entry), 0)
  },
)

Context('one that tells nothing is taken at the catalogue’s word', async () => {
  assert.is(await from({ owned_by: 'somebody' }), 0)
})

Context.run()
