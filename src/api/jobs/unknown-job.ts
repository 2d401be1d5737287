import { refuse } from '../http/errors.ts'
import { missingId } from '../http/missing-id.ts'

/** Also of a job that is another wallet's: to this one it never was. */
export const unknownJob = (id: string) =>
  refuse(
    'job_not_found',
    id === '' ? missingId('job') : `There is no job \`${id.slice(0, 64)}\` of this wallet.`,
  )
