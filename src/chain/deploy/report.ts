import { formatEther } from 'viem'
import { ANYONE, askedRoles } from './check-roles.ts'
import type { Addresses } from './constructors.ts'
import type { Finding } from './finding.ts'
import type { Forecast } from './forecast.ts'
import type { Settings } from './settings.ts'

/** Lines in columns. */
function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

export function findingsInWords(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ holds }) => !holds).length
  const rows = findings.map(({ what, asked, found, holds }) => [
    holds ? '✓' : '✗',
    what,
    holds ? found : `asked ${asked}, found ${found}`,
  ])
  const verdict =
    wrong === 0
      ? `all ${findings.length} are as asked`
      : `${wrong} of ${findings.length} are not as asked`
  return `${inColumns(rows)}\n${verdict}\n`
}

export const addressesInWords = (at: Addresses): string =>
  inColumns(
    (
      [
        ['JobEscrow', at.jobEscrow],
        ['WorkerStaking', at.workerStaking],
        ['payment token', at.usdg],
        ['RCompute', at.rCompute],
        ['ModelRegistry', at.modelRegistry],
        ['ComputeGovernor', at.governor],
        ['its timelock', at.timelock],
      ] as const
    ).map(([name, address]) => [name, address]),
  )

/** The steps that are left, what each costs, and all together. */
export function forecastInWords(names: readonly string[], { gas, weiNow }: Forecast): string {
  const row = (name: string, units: bigint, source: string) => [
    name,
    units.toLocaleString('en'),
    formatEther(units * weiNow),
    source,
  ]
  const total = gas.reduce((sum, { units }) => sum + units, 0n)
  const rows = [
    ['', 'gas', 'cost now', ''],
    ...names.map((name, i) => row(name, gas[i]!.units, gas[i]!.source)),
    row('all together', total, ''),
  ]
  return `${inColumns(rows)}
Costs are in the coin of the chain. simulated: the node ran all, one after the other; estimated: it
ran this one alone; computed: from its size, and rather too much.
`
}

const MAY: Readonly<Record<string, string>> = {
  'JobEscrow ADMIN': 'gives and takes the roles of the escrow, and lowers its cap of an hour',
  'JobEscrow LOCKER': 'locks credits for jobs',
  'JobEscrow SETTLER': 'settles jobs against signed proofs, refunds them, opens disputes',
  'JobEscrow ARBITER': 'decides disputes',
  'JobEscrow PAUSER': 'stops and restarts deposits and locks',
  'JobEscrow WITHDRAWAL_SIGNER': 'agrees to withdrawals at once',
  'WorkerStaking ADMIN': 'lets others take stake',
  'WorkerStaking SLASHER': 'takes stake from convicted workers',
  'ModelRegistry ADMIN': 'retires models, lists them, names who may list them',
  'TimelockController ADMIN': 'gives and takes the roles of the timelock',
  'TimelockController PROPOSER': 'queues what was voted for',
  'TimelockController CANCELLER': 'takes back what is queued',
  'TimelockController EXECUTOR': 'carries out what is due',
}

/** Who may do what once all is done. */
export function holdersInWords(settings: Settings, at: Addresses): string {
  const names = new Map<string, string>([
    [ANYONE, 'anyone'],
    [at.timelock, `${at.timelock} (the timelock: by vote)`],
    [at.governor, `${at.governor} (the governor: by vote)`],
    [at.jobEscrow, `${at.jobEscrow} (the escrow)`],
  ])
  const rows = Object.entries(askedRoles(settings, at)).flatMap(([contract, roles]) =>
    Object.entries(roles).map(([role, who]) => [
      `${contract} ${role}`,
      names.get(who) ?? who,
      MAY[`${contract} ${role}`] ?? '',
    ]),
  )
  return inColumns(rows)
}
