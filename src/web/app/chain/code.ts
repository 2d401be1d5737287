/** A code of this start belongs to a plain wallet with a delegation (EIP-7702), which still signs. */
const DELEGATION = '0xef0100'

/** Whether an address with this code is a contract, and no plain wallet. */
export const isContractCode = (code: string | undefined): boolean =>
  code !== undefined && code !== '' && code !== '0x' && !code.startsWith(DELEGATION)
