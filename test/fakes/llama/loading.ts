import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LLAMA_VERSION } from '../../../src/worker/engines/llama-package.ts'

/** In place of node-llama-cpp: loads a model for ever, as the largest ones seem to. */
const PACKAGE = `
  setInterval(() => {}, 1_000)
  export const getLlama = async () => ({ gpu: false, loadModel: () => new Promise(() => {}) })`

/** What a GGUF file begins with. */
const GGUF = Buffer.from('GGUF\u0003\0\0\0', 'latin1')

/** @returns flags for an agent whose engine goes on loading */
export function loadingEngine(folder: string): readonly string[] {
  const modules = join(folder, 'node_modules')
  const [llama, jinja] = [join(modules, 'node-llama-cpp'), join(modules, '@huggingface/jinja')]
  for (const path of [join(llama, 'dist'), jinja]) mkdirSync(path, { recursive: true })
  const about = { version: LLAMA_VERSION, type: 'module', main: 'dist/index.js' }
  writeFileSync(join(llama, 'package.json'), JSON.stringify(about))
  writeFileSync(join(llama, 'dist/index.js'), PACKAGE)
  writeFileSync(join(jinja, 'index.js'), 'exports.Template = class {}')
  const model = join(folder, 'model.gguf')
  writeFileSync(model, GGUF)
  return ['--engine', 'llama', '--models', `a-model=${model}`, '--llama-package', folder]
}
