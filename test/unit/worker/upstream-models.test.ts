import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  matchModels,
  modelIdOf,
  parseWantedModels,
} from '../../../src/worker/engines/upstream-models.ts'

const Models = suite('upstream models')

Models('names of the launch lineup: exact, any case, and Ollama’s', () => {
  const names = {
    'Qwen/Qwen3-8B': 'Qwen/Qwen3-8B',
    'qwen/qwen3-8b': 'Qwen/Qwen3-8B',
    'qwen3:8b': 'Qwen/Qwen3-8B',
    qwen3: 'Qwen/Qwen3-8B',
    'llama3.3:70b': 'meta-llama/Llama-3.3-70B-Instruct',
    'llama3.2:3b': 'meta-llama/Llama-3.2-3B-Instruct',
    'gemma3:27b': 'google/gemma-3-27b-it',
    'mistral:7b': 'mistralai/Mistral-7B-Instruct-v0.3',
    // Another size, and a name unheard of: ids as they stand, for the catalogue to know or not.
    'gemma3:4b': 'gemma3:4b',
    'new/Model': 'new/Model',
  }
  for (const [name, id] of Object.entries(names)) assert.is(modelIdOf(name), id, name)
})

Models('serves what is listed and wanted, under the upstream’s names', () => {
  const listed = [{ id: 'local', max_model_len: 8_192 }, { id: 'qwen3:14b' }, { id: 'odd' }]
  const wanted = parseWantedModels(' Qwen/Qwen3-8B=local , Qwen/Qwen3-14B')
  const { served, skipped } = matchModels(listed, wanted)
  assert.equal(
    [...served.values()],
    [
      { id: 'Qwen/Qwen3-8B', upstream: 'local', contextWindow: 8_192 },
      { id: 'Qwen/Qwen3-14B', upstream: 'qwen3:14b', contextWindow: 0 },
    ],
  )
  assert.equal(skipped, ['odd'])
  assert.equal(matchModels([{ id: 'mistral:7b' }], wanted).served.size, 0, 'not wanted')
  assert.equal(matchModels([{ id: 'mistral:7b' }], []).served.size, 1, 'nothing wanted: all')
})

Models('a model of tomorrow is offered under its id, or under the one it is given', () => {
  const listed = [{ id: 'new/model' }, { id: 'local' }, { id: 'my own' }]
  assert.equal([...matchModels(listed, []).served.keys()], ['new/model', 'local'])
  const { served } = matchModels(listed, parseWantedModels('newer/model=local'))
  assert.equal([...served.values()], [{ id: 'newer/model', upstream: 'local', contextWindow: 0 }])
})

Models('a name without a tag is that of the latest, as where Ollama has made it', () => {
  const ofOllama = (...names: string[]) => {
    const { served } = matchModels(
      names.map((id) => ({ id })),
      parseWantedModels('Qwen/Qwen3-8B=own'),
    )
    return [...served.values()].map(({ upstream }) => upstream)
  }
  assert.equal(ofOllama('own:latest'), ['own:latest'])
  assert.equal(ofOllama('own:8b', 'owner:latest'), [])
})

Models('a wish that can be no id is an error that names it', () => {
  assert.throws(() => parseWantedModels('Qwen/Qwen3-8B,=local'), /WORKER_MODELS: =local/)
  assert.throws(() => parseWantedModels('my model=local'), /WORKER_MODELS: my model/)
})

Models.run()
