import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { noteSlowSignatures } from '../../../src/pool/proof/native-code.ts'

const NativeCode = suite('pool: native code of signatures')

function told(load?: (name: string) => unknown): string[] {
  const words: string[] = []
  noteSlowSignatures(
    { warn: (_about: unknown, text?: string) => void words.push(text ?? '') },
    load,
  )
  return words
}

NativeCode('where there is none the operator hears what to install', () => {
  const none = () => {
    throw new Error('No native build was found')
  }
  const [words, ...more] = told(none)
  assert.match(words ?? '', /thirty times slower/)
  assert.match(words ?? '', 'npm rebuild secp256k1')
  assert.is(more.length, 0)
})

NativeCode('where there is, nothing is said', () => {
  assert.equal(
    told(() => ({})),
    [],
  )
})

NativeCode.run()
