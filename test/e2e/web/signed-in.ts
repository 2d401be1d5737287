import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Visitor } from '../../fakes/web/visitor.ts'
import type { Network } from '../../network/network.ts'

/** Asks /api as the page of somebody who is signed in; the network's first customer by default. */
export async function signedInVisitor(
  network: Network,
  key = network.wallet.private_key,
): Promise<Visitor> {
  const visitor = new Visitor({ origin: network.web_url })
  const answer = await visitor.signIn(privateKeyToAccount(key as Hex), network.chain_id)
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
  return visitor
}
