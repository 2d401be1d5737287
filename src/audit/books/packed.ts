import { Unpackr } from 'msgpackr'
import { z } from 'zod'
import { TOLD_STATUSES, type Told } from './told.ts'

/** The service's records, read by what they look like and not by its own code. */

const unpackr = new Unpackr({ useRecords: false, int64AsType: 'bigint' })
export const unpack = (data: Uint8Array): unknown => unpackr.unpack(data)

const whole = z.union([z.bigint(), z.int()]).transform(BigInt)
const bytes = z
  .instanceof(Uint8Array)
  .transform((data) => `0x${Buffer.from(data).toString('hex')}`)
  .nullish()
  .transform((hex) => hex ?? null)
const hex = z.string().transform((text) => text.toLowerCase())
const status = z.int().transform((number, context) => {
  const name = TOLD_STATUSES[number]
  if (name) return name
  context.addIssue(`no status has the number ${number}`)
  return z.NEVER
})

// Places of a packed job; nulls at the end are left out.
const packedJob = z.array(z.unknown()).transform((places) => ({
  locked: whole.parse(places[1]),
  charged: whole.parse(places[2]),
  settlementTx: bytes.parse(places[10]),
  outputHash: bytes.parse(places[11]),
  refundTx: bytes.parse(places[12]),
}))

/** A job as archive and views pack it. */
function toldByPacked(
  packed: unknown,
  known: Pick<Told, 'source' | 'jobId' | 'version' | 'status' | 'wallet'>,
): Told {
  const job = packedJob.parse(packed)
  // A refund of what was settled is a verdict.
  const isUpheld = known.status === 'refunded' && job.settlementTx !== null
  return { ...known, ...job, status: isUpheld ? 'upheld' : known.status }
}

const archived = z
  .tuple([z.int(), z.string(), z.instanceof(Uint8Array), status, z.string()])
  .rest(z.unknown())

/** The jobs of one message of the archive. */
export function toldByArchive(message: unknown): Told[] {
  const jobs = z.array(archived).parse(message)
  return jobs.map(([version, jobId, owner, status, , ...packed]) => {
    const wallet = `0x${Buffer.from(owner).toString('hex')}`
    return toldByPacked(packed, { source: 'archive', jobId, version, status, wallet })
  })
}

const at = z.object({ tx: hex }).nullish()
const terms = z.object({ id: z.string(), wallet: hex, lock: whole })
const abandoned = z.object({ status: z.literal('abandoned'), id: z.string(), wallet: hex })
const job = z.object({
  status: z.enum([...TOLD_STATUSES, 'upheld']),
  terms,
  charged: whole.optional(),
  outputHash: hex.optional(),
  settlement: at,
  escrow: z.object({ refundTx: hex.optional() }).optional(),
  dispute: z.object({ resolution: at }).nullish(),
})
const record = z.object({ body: z.object({ state: z.union([abandoned, job]) }) })

/** A job by one record of its journal. */
export function toldByJournal(message: unknown, version: number): Told {
  const { state } = record.parse(message).body
  const nothing = { outputHash: null, settlementTx: null, refundTx: null, charged: 0n }
  if (!('terms' in state)) {
    const { id: jobId, wallet, status } = state
    return { source: 'journal', jobId, version, wallet, status, locked: null, ...nothing }
  }
  const { status, dispute } = state
  const { id: jobId, wallet, lock: locked } = state.terms
  const isUpheld = status === 'upheld'
  const settlementTx = state.settlement?.tx ?? null
  return {
    ...{ source: 'journal', jobId, version, wallet, status, locked, settlementTx },
    charged: settlementTx === null || isUpheld ? 0n : (state.charged ?? 0n),
    outputHash: state.outputHash ?? null,
    refundTx: (isUpheld ? dispute?.resolution?.tx : state.escrow?.refundTx) ?? null,
  }
}

const ID_BYTES = 26
const HEAD_BYTES = 32

/** A job by a member of a list in Redis: 26 bytes of id, 6 of version, then the packed job. */
export function toldByView(member: Buffer, wallet: string, number: number): Told {
  return toldByPacked(unpack(member.subarray(HEAD_BYTES)), {
    source: 'view',
    jobId: `job_${member.toString('latin1', 0, ID_BYTES)}`,
    version: member.readUIntBE(ID_BYTES, HEAD_BYTES - ID_BYTES),
    status: status.parse(number),
    wallet,
  })
}
