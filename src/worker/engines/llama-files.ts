import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { ConfigError } from '../../config/read.ts'

/** A model and the GGUF file that holds it. */
export interface LlamaFile {
  /** As the catalogue has it. */
  readonly id: string
  /** Absolute. */
  readonly path: string
}

/**
 * Reads WORKER_MODELS for the llama engine: `id=/path/model.gguf`, comma-separated. A path may begin
 * with `~/`, and else counts from the working directory.
 * @throws {ConfigError}
 */
export function parseModelFiles(text: string): LlamaFile[] {
  const entries = text.split(',').map((entry) => entry.trim())
  const files = entries.filter(Boolean).map(parseEntry)
  if (files.length === 0) throw new ConfigError(`WORKER_MODELS names no model: ${EXPECTED}`)
  const ids = files.map(({ id }) => id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice) throw new ConfigError(`WORKER_MODELS names ${twice} twice: one file serves a model`)
  return files
}

function parseEntry(entry: string): LlamaFile {
  const at = entry.indexOf('=')
  const [id, path] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
  if (at < 0 || !id || !path) {
    throw new ConfigError(`WORKER_MODELS: "${entry}" names no file: ${EXPECTED}`)
  }
  return { id, path: toPath(path) }
}

/** Absolute. A shell expands `~/` by itself, a file of settings does not. */
export const toPath = (text: string): string =>
  text.startsWith('~/') ? join(homedir(), text.slice(2)) : resolve(text)

const EXPECTED = 'the llama engine needs id=/path/model.gguf, comma-separated'
