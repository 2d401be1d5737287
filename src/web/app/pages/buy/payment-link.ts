/**
 * An EIP-681 link to a plain token transfer, which is all that wallets and exchanges reliably do.
 * @param payment `units` undefined leaves the amount to the payer
 */
export function paymentLink(payment: {
  readonly token: string
  readonly chainId: number
  readonly to: string
  readonly units: bigint | undefined
}): string {
  const { token, chainId, to, units } = payment
  const amount = units === undefined ? '' : `&uint256=${units}`
  return `ethereum:${token}@${chainId}/transfer?address=${to}${amount}`
}
