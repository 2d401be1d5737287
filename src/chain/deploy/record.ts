import { readFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { toAddress } from '../../domain/ids.ts'
import { writeDurably } from '../durable-file.ts'

const hex = z.custom<`0x${string}`>((value) => /^0x[0-9a-f]*$/.test(String(value)))

const Sent = z.object({
  nonce: z.int().nonnegative(),
  /** Hash of what was sent to whom: a step that is asked for otherwise is another step. */
  content: hex,
  /** Of all attempts, newest last. They share a nonce, so the chain takes at most one. */
  hashes: z.array(hex),
  /** The newest attempt, signed. */
  raw: hex,
  /** Of the contract that it makes. */
  address: z.string().transform(toAddress).optional(),
})
/** A transaction that was written down before it was sent. */
export type Sent = z.infer<typeof Sent>

const RecordFile = z.object({
  chain_id: z.int().positive(),
  deployer: z.string().transform(toAddress),
  abi_hash: z.string(),
  /** No log of these contracts is older than this block. */
  deploy_block: z.int().nonnegative(),
  settings: z.record(z.string(), z.string()),
  steps: z.record(z.string(), Sent),
})
/** What one deployment was asked for, and what of it was sent. Holds no secrets. */
export type DeploymentRecord = z.infer<typeof RecordFile>

/** Lies beside the address file, and stays there: whoever checks the deployment later needs it. */
export const recordPath = (addressFile: string): string =>
  `${addressFile.replace(/\.json$/, '')}.deployment.json`

/**
 * What is known of a deployment, or undefined where none began.
 * @throws when the file is something else
 */
export async function readRecord(addressFile: string): Promise<DeploymentRecord | undefined> {
  const path = recordPath(addressFile)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    return RecordFile.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(
      `${path} is not the record of a deployment: restore it, since it tells what was sent already`,
      { cause },
    )
  }
}

/** On return the record outlives a crash of the machine: what follows is sent only once. */
export const writeRecord = (addressFile: string, record: DeploymentRecord): Promise<void> =>
  writeDurably(recordPath(addressFile), `${JSON.stringify(record, null, 2)}\n`)

/** For a chain that was begun anew. */
export const forgetRecord = (addressFile: string): Promise<void> => rm(recordPath(addressFile))
