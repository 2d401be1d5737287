import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { CannotTell } from '../cannot-tell.ts'
import { escrowReads } from './abi.ts'
import type { Chain } from './connect.ts'

/** Whether the contracts on chain are the ones whose sources lie here. */
export type CodeFinding =
  | { readonly type: 'same'; readonly names: readonly string[] }
  | { readonly type: 'other'; readonly name: string; readonly address: string }
  | { readonly type: 'not_built' }

export function codeInWords(code: CodeFinding): string {
  switch (code.type) {
    case 'same':
      return `${code.names.join(' and ')} are the build here`
    case 'other':
      return `${code.name} at ${code.address} is another contract, or of another version`
    case 'not_built':
      return 'code not compared: contracts are not built here'
  }
}

const BUILD = fileURLToPath(new URL('../../contracts/out', import.meta.url))

const Artifact = z.object({
  deployedBytecode: z.object({
    object: z.string().regex(/^0x(?:[0-9a-f]{2})+$/),
    /** By the declaration: where its value is written in when a contract is made. Bytes. */
    immutableReferences: z.record(
      z.string(),
      z.array(z.object({ start: z.int().nonnegative(), length: z.int().positive() })),
    ),
  }),
})
export type Built = z.infer<typeof Artifact>['deployedBytecode']

/**
 * Compares escrow and workers with the build beside the sources. A build of older sources is told
 * from the contracts like any other code: build first, if in doubt.
 */
export async function compareCode({ client, escrow }: Chain): Promise<CodeFinding> {
  const workers = await client.readContract({
    ...{ address: escrow, abi: escrowReads, functionName: 'WORKERS' },
  })
  const contracts = [
    { name: 'JobEscrow', address: escrow },
    { name: 'WorkerStaking', address: workers },
  ] as const
  for (const { name, address } of contracts) {
    const built = await readBuild(name)
    if (!built) return { type: 'not_built' }
    const code = await client.getCode({ address })
    if (!code || !isSameCode(code, built)) return { type: 'other', name, address }
  }
  return { type: 'same', names: contracts.map(({ name }) => name) }
}

/** All but the values of immutables, and the compiler's notes of the sources. */
export function isSameCode(code: string, built: Built): boolean {
  const [found, wanted] = [bytesOf(code), bytesOf(built.object)]
  if (found.length !== wanted.length) return false
  for (const places of Object.values(built.immutableReferences)) {
    for (const { start, length } of places) {
      for (const bytes of [found, wanted]) bytes.fill(0, start, start + length)
    }
  }
  return withoutNotes(found) === withoutNotes(wanted)
}

// CBOR of a hash and of the compiler's version. Not only at the end: a contract that makes another carries its
// code, with the note of that one. Blanked where it is: nothing may be moved by it.
const NOTE = /a264697066735822[0-9a-f]{68}64736f6c6343[0-9a-f]{6}0033/g
const withoutNotes = (code: Buffer): string =>
  withoutNote(code).toString('hex').replace(NOTE, blank)
const blank = (text: string): string => '0'.repeat(text.length)

/** The last two bytes say how long the note before them is. It changes with every comment. */
function withoutNote(code: Buffer): Buffer {
  const note = code.length < 2 ? 0 : code.readUInt16BE(code.length - 2) + 2
  return note > code.length ? code : code.subarray(0, code.length - note)
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')

async function readBuild(name: string): Promise<Built | undefined> {
  const path = `${BUILD}/${name}.sol/${name}.json`
  try {
    return Artifact.parse(JSON.parse(await readFile(path, 'utf8'))).deployedBytecode
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CannotTell(`${path} cannot be read as a build: remove it, or build the contracts`, {
      cause: error,
    })
  }
}
