import { balanceBecomes, type Customer, newCustomer } from '../e2e/customer.ts'
import { giveGas, onChain } from '../e2e/mixed/callers.ts'
import type { Network } from '../network/network.ts'

const CREDITS = 10_000_000

/** Somebody who can pay for any load: the network's own wallet has credits for some thousand requests only. */
export async function richCustomer(network: Network): Promise<Customer> {
  const customer = await newCustomer(network)
  await giveGas(network, [customer.wallet])
  await onChain(network, customer.privateKey).deposit(BigInt(CREDITS))
  await balanceBecomes(customer, CREDITS)
  return customer
}
