import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FAULTS } from './faults/every.ts'

export interface Options {
  readonly runs: number
  /** Given: a soak of so long instead. */
  readonly minutes: number | undefined
  /** How long nothing goes wrong between two faults of a soak. */
  readonly calmSeconds: number
  /** Parts of names of faults; none: all. */
  readonly only: readonly string[]
  /** On a NATS cluster of three instead of one server. */
  readonly cluster: boolean
  /** Folder for report.txt, report.json, and what is left of networks that went wrong. */
  readonly report: string
  /** Callers that ask at once. */
  readonly atOnce: number
}

export const USAGE = `Real faults on a real network under load; npm run audit and every answer are checked after each.

  npm run chaos -- [options]     each fault --runs times
  npm run soak -- [options]      --minutes of load, faults at random

  --runs N        of each fault (default 20)
  --minutes N     of a soak (default 30)
  --calm SECONDS  between two faults of a soak (default 20)
  --only PART     only faults with this in their name; may be given again
  --cluster       on three nats-servers, whose leaders die too
  --at-once N     callers (default 6)
  --report DIR    for the report and what is left of networks that went wrong (default .chaos)

Faults: ${FAULTS.map(({ name }) => name).join(' · ')}
`

/** @throws naming the option */
export function parseOptions(args: readonly string[]): Options | 'help' {
  const isSoak = args[0] === 'soak'
  const { values } = parseArgs({
    args: args.slice(isSoak ? 1 : 0),
    options: {
      runs: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '30' },
      calm: { type: 'string', default: '20' },
      only: { type: 'string', multiple: true, default: [] },
      cluster: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: '6' },
      report: { type: 'string', default: '.chaos' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    runs: positive('runs', values.runs),
    minutes: isSoak ? positive('minutes', values.minutes) : undefined,
    calmSeconds: positive('calm', values.calm),
    only: values.only,
    cluster: values.cluster,
    report: resolve(values.report),
    atOnce: positive('at-once', values['at-once']),
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new Error(`--${name} takes a number above 0, not "${text}"`)
}
