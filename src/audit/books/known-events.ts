import { type Log, parseAbi, toEventSelector } from 'viem'
import { escrowEvents } from '../chain/abi.ts'
import { type Difference, differ } from './difference.ts'

/** Nothing moves by these. */
const SILENT_EVENTS = parseAbi([
  'event JobSkipped(bytes32 indexed jobId, uint8 reason)',
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previous, bytes32 indexed now)',
  'event Recovered(address indexed wallet, address indexed token, uint256 amount)',
  'event SpendLimitSet(address indexed wallet, uint32 creditsPerDay)',
  'event SettleCapSet(uint64 creditsPerHour)',
  'event SlashFailed(bytes32 indexed jobId, uint32 indexed workerId)',
  'event Paused(address account)',
  'event Unpaused(address account)',
  'event EIP712DomainChanged()',
])

const KNOWN = new Set<string | undefined>([...escrowEvents, ...SILENT_EVENTS].map(toEventSelector))

/** What the auditor cannot enter, it cannot vouch for. */
export const unknownEvents = (logs: readonly Log[]): Difference[] =>
  logs.flatMap(({ topics: [topic], transactionHash }) =>
    KNOWN.has(topic)
      ? []
      : [differ('escrow', `event ${topic} in ${transactionHash} is not known to this audit`)],
  )
