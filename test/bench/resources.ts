import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createPublicClient, http, parseAbiItem } from 'viem'
import type { Network } from '../network/network.ts'

/** CPU milliseconds that each role's processes have used so far, from the operating system. */
export function cpuMsByRole(network: Network): Map<string, number> {
  const used = new Map<string, number>()
  for (const { role, pid } of network.read().processes) {
    used.set(role, (used.get(role) ?? 0) + cpuMs(pid))
  }
  return used
}

export type Counts = ReadonlyMap<string, number>

/** How much each count has grown for each of `items`. */
export const perItem = (before: Counts, after: Counts, items: number): Record<string, number> =>
  Object.fromEntries(
    [...after].map(([name, count]) => [name, (count - (before.get(name) ?? 0)) / items]),
  )

/** The same of one process and all that it has started, as a package's wrapper starts its program. */
export const cpuMsOfTree = (root: number): number =>
  processTree(root).reduce((sum, pid) => sum + cpuMs(pid), 0)

function processTree(root: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const below = (pid: number): number[] => [
    pid,
    ...rows.flatMap(([child = 0, parent]) => (parent === pid ? below(child) : [])),
  ]
  return below(root)
}

function cpuMs(pid: number): number {
  if (process.platform !== 'linux') return psCpuMs(pid)
  // Fields 14 and 15 (user and system ticks), counted after the name, which may hold spaces.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond()
}

let ticks: number | undefined
function ticksPerSecond(): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks
}

/** `ps` says [[dd-]hh:]mm:ss.cc where there is no /proc. */
function psCpuMs(pid: number): number {
  const text = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' })
  return (
    text
      .trim()
      .split(/[-:]/)
      .reduce((total, part) => total * 60 + Number(part), 0) * 1000
  )
}

/** What a process holds in memory now, shared pages included. */
export function residentBytes(pid: number): number {
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kibibytes) * 1024
}

/** Messages that the server took in so far. */
export async function natsMessages(network: Network): Promise<number> {
  const response = await fetch(`${network.nats_monitor_url}/varz`)
  const { in_msgs } = (await response.json()) as { in_msgs: number }
  return in_msgs
}

/** What each role has said to the server and heard from it so far: each role is a user of its own. */
export async function natsTraffic(network: Network) {
  const response = await fetch(`${network.nats_monitor_url}/connz?auth=1&limit=1024`)
  const { connections } = (await response.json()) as { connections: readonly NatsConnection[] }
  const [messages, bytes] = [new Map<string, number>(), new Map<string, number>()]
  for (const { authorized_user: role = '?', ...said } of connections) {
    messages.set(role, (messages.get(role) ?? 0) + said.in_msgs + said.out_msgs)
    bytes.set(role, (bytes.get(role) ?? 0) + said.in_bytes + said.out_bytes)
  }
  return { messages, bytes }
}

interface NatsConnection {
  readonly authorized_user?: string
  readonly in_msgs: number
  readonly out_msgs: number
  readonly in_bytes: number
  readonly out_bytes: number
}

const LOCKED = parseAbiItem(
  'event JobLocked(bytes32 indexed jobId, address indexed wallet, uint32 credits, uint8 tier)',
)
const SETTLED = parseAbiItem(
  'event JobSettled(bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bytes32 outputHash, uint32 outputTokens, uint32 creditsCharged, uint32 creditsReturned, uint64 workerUnits, uint64 treasuryUnits)',
)

export interface ChainUse {
  readonly locked: number
  readonly settled: number
  readonly lockGas: bigint
  readonly settleGas: bigint
  readonly transactions: number
}

/** What the jobs after block `from` cost on chain. */
export async function chainUse(network: Network, from: bigint): Promise<ChainUse> {
  const client = createPublicClient({ transport: http(network.rpc_url) })
  const address = network.contracts.job_escrow as `0x${string}`
  const [locked, settled] = await Promise.all([
    client.getLogs({ address, event: LOCKED, fromBlock: from + 1n }),
    client.getLogs({ address, event: SETTLED, fromBlock: from + 1n }),
  ])
  const gasOf = async (logs: readonly { transactionHash: `0x${string}` }[]) => {
    const hashes = [...new Set(logs.map((log) => log.transactionHash))]
    let gas = 0n
    for (const hash of hashes) gas += (await client.getTransactionReceipt({ hash })).gasUsed
    return { gas, count: hashes.length }
  }
  const [lock, settle] = [await gasOf(locked), await gasOf(settled)]
  return {
    locked: locked.length,
    settled: settled.length,
    lockGas: lock.gas,
    settleGas: settle.gas,
    transactions: lock.count + settle.count,
  }
}

/** Transactions of locks so far, and what they took together from sending to receipt, as the lane tells. */
export async function lockTimes(network: Network): Promise<{ count: number; ms: number }> {
  const lane = network.read().processes.find(({ role }) => role === 'actors')
  const figures = await (await fetch(`${lane?.monitor_url}/metrics`)).text()
  const read = (part: string): number => {
    const line = figures.split('\n').find((line) => line.startsWith(`${part}{lane="lock"`))
    if (line === undefined) throw new Error(`the host with the lanes tells no ${part} of locks`)
    return Number(line.split(' ').at(-1))
  }
  return {
    count: read('svc_lane_inclusion_seconds_count'),
    ms: read('svc_lane_inclusion_seconds_sum') * 1000,
  }
}

export const blockNumber = (network: Network): Promise<bigint> =>
  createPublicClient({ transport: http(network.rpc_url) }).getBlockNumber({ cacheTime: 0 })
