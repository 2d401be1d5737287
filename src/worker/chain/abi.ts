import { parseAbi } from 'viem'

/**
 * What the agent calls on chain, and no more: the whole ABI would be half of the single file. A test
 * holds these against the contracts.
 */
export const stakingAbi = parseAbi([
  'struct Worker { address signer; uint40 withdrawableAt; bool deactivated; address payee; uint96 active; uint96 unbonding; }',
  'function workerIdOf(address signer) view returns (uint32)',
  'function workers(uint32 workerId) view returns (Worker)',
  'function MINIMUM_STAKE() view returns (uint96)',
  'function TOKEN() view returns (address)',
  'function stakeWithPermit(uint32 workerId, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function requestUnstake(uint32 workerId, uint256 amount)',
  'function withdraw(uint32 workerId)',
  'event WorkerDeactivated(uint32 indexed workerId, address indexed signer)',
  'error NothingUnbonding(uint32 workerId)',
  'error StillUnbonding(uint32 workerId, uint256 withdrawableAt)',
  'error StakeTooLow(uint32 workerId, uint256 active, uint256 asked)',
  'error Deactivated(uint32 workerId)',
  'error UnknownWorker(uint32 workerId)',
  'error ZeroAmount()',
])

export const escrowAbi = parseAbi([
  'function WORKERS() view returns (address)',
  'function earnings(uint32 workerId) view returns (uint256 units)',
  'function claimableEarnings(uint32 workerId) view returns (uint256 units)',
  'function DEFAULT_SHARE_BPS() view returns (uint64)',
  'function STAKED_SHARE_BPS() view returns (uint64)',
  'function claim(uint32 workerId)',
  'error NothingToClaim()',
  'error PaysItself()',
])

/** Why USDG cannot be paid out, by the names that its issuer has given. */
export const usdgErrors = parseAbi(['error ContractPaused()', 'error AddressFrozen()'])

export const rComputeAbi = parseAbi([
  'function name() view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
  'function nonces(address owner) view returns (uint256)',
])
