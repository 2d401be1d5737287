import { refuse } from '../http/errors.ts'

/** Also of a job that is another wallet's: to this one it never was. */
export const unknownJob = (id: string) =>
  refuse(
    'job_not_found',
    id === ''
      ? 'The path ends where the id of a job belongs. GET /v1/jobs, without a slash behind it, lists jobs.'
      : `There is no job \`${id.slice(0, 64)}\` of this wallet.`,
  )
