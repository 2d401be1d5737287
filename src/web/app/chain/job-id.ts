import { type Hex, hexToString, stringToHex } from 'viem'

const JOB_ID = /^job_[0-9a-z]{26}$/

/** As on chain: the id's ASCII, padded with zeros on the right. */
export const jobIdToHex = (jobId: string): Hex => stringToHex(jobId, { size: 32 })

/** Undefined: these bytes are no job's. */
export function jobIdOfHex(hex: string): string | undefined {
  const text = hexToString(hex as Hex, { size: 32 })
  return JOB_ID.test(text) ? text : undefined
}

export const isJobId = (text: string): boolean => JOB_ID.test(text)
