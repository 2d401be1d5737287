import { parseAbi } from 'viem'

/** What USDG refuses with, as its issuer has deployed it. The token of development has the standards' errors. */
export const USDG_ERRORS = parseAbi([
  'error ContractPaused()',
  'error AddressFrozen()',
  'error InsufficientFunds()',
  'error InsufficientAllowance()',
  'error AuthorizationInvalid()',
  'error AuthorizationExpired()',
  'error PermitExpired()',
  'error InvalidSignature()',
  'error CallerMustBePayee()',
])
