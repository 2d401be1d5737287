import {
  createPublicClient,
  hashMessage,
  http,
  isAddressEqual,
  isHex,
  type PublicClient,
  recoverAddress,
} from 'viem'
import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe'
import { toAddress } from '../domain/ids.ts'
import { err, ok } from '../domain/result.ts'
import type { UnixMs } from '../domain/time.ts'
import { ChainUnavailable, type Hex } from '../ports/escrow.ts'
import type { SignIn } from '../ports/web-chain.ts'

interface Options {
  readonly rpcUrl: string
  readonly chainId: number
}

const TIMEOUT_MS = 10_000
/** Longer ones are refused unread. The longest that our app makes has 500 characters. */
const MESSAGE_CHARS_MAX = 4_000
const SIGNATURE_CHARS_MAX = 20_000
/**
 * Who says that a contract has signed makes the node run it, and what it does is a stranger's to choose: so many at a
 * time, and each with no more gas than the dearest honest one needs, which is deployed on the way.
 */
const CONTRACTS_MOST = 4
const CONTRACT_GAS = 5_000_000n
/** How far a browser's clock may be ahead, and how long somebody may take to sign. */
const AHEAD_MS = 5 * 60_000
const AGE_MS = 15 * 60_000

/** EIP-4361, for accounts with a key, contract accounts (ERC-1271) and those to be (ERC-6492). */
export function makeSignIn({ rpcUrl, chainId }: Options): SignIn {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1 }),
  })
  const isOfContract = limited((signed) => isSignedOnChain(client, signed))
  return {
    verify: async ({ message, signature }, { origin, at }) => {
      const parsed = parse(message)
      if (!parsed) return err('The message is no sign-in message (EIP-4361); start again.')
      const wrong = whatIsWrong(parsed, { origin, chainId, at })
      if (wrong) return err(wrong)
      if (!isHex(signature) || signature.length > SIGNATURE_CHARS_MAX) {
        return err('The signature is not in hexadecimal form.')
      }
      const signed = { address: parsed.address, hash: hashMessage(message), signature }
      // Most accounts have a key, and for those no node is asked.
      if (!(await isOfKey(signed)) && !(await isOfContract(signed))) {
        return err(
          `The signature is not of ${parsed.address}; sign with the account you connected.`,
        )
      }
      return ok({ wallet: toAddress(parsed.address), nonce: parsed.nonce })
    },
  }
}

/** Only what reads back to the very same text: so nothing in it can be read in two ways. */
function parse(message: string): SiweMessage | undefined {
  if (message.length > MESSAGE_CHARS_MAX) return undefined
  const parsed = parseSiweMessage(message) as SiweMessage
  try {
    return createSiweMessage(parsed) === message ? parsed : undefined
  } catch {
    return undefined // a field that is missing, or not what it should be
  }
}

interface Expected {
  readonly origin: string
  readonly chainId: number
  readonly at: UnixMs
}

function whatIsWrong(message: SiweMessage, { origin, chainId, at }: Expected): string | undefined {
  const { domain, uri, expirationTime, issuedAt, notBefore } = message
  if (domain !== new URL(origin).host || !URL.canParse(uri) || new URL(uri).origin !== origin) {
    return `The message was made for ${domain}, not for ${origin}; open ${origin} and sign in there.`
  }
  if (message.chainId !== chainId) {
    return `The message names chain ${message.chainId}; switch the wallet to chain ${chainId}.`
  }
  if (expirationTime && expirationTime.getTime() <= at) {
    return 'The message has expired; start again.'
  }
  if (!issuedAt || issuedAt.getTime() < at - AGE_MS) {
    return 'The message is too old; start again.'
  }
  if (issuedAt.getTime() > at + AHEAD_MS || (notBefore && notBefore.getTime() > at)) {
    return 'The message is of the future; set the clock of your device and start again.'
  }
  return undefined
}

interface Signed {
  readonly address: Hex
  readonly hash: Hex
  readonly signature: Hex
}

async function isOfKey({ address, hash, signature }: Signed): Promise<boolean> {
  try {
    return isAddressEqual(address, await recoverAddress({ hash, signature }))
  } catch {
    return false // a signature of another form
  }
}

/** @throws {ChainUnavailable} also where so many are asked already */
function limited(ask: (signed: Signed) => Promise<boolean>): typeof ask {
  let running = 0
  return async (signed) => {
    if (running >= CONTRACTS_MOST) {
      throw new ChainUnavailable('too many contract accounts sign in at once')
    }
    running++
    try {
      return await ask(signed)
    } finally {
      running--
    }
  }
}

async function isSignedOnChain(client: PublicClient, signed: Signed): Promise<boolean> {
  try {
    // What the library does not name goes into its call as well.
    const call = { ...signed, gas: CONTRACT_GAS }
    if (await client.verifyHash(call)) return true
    // The library takes a node that is away for a contract that says no.
    await client.getChainId()
    return false
  } catch (error) {
    // The message of the cause would quote the URL, in which providers put their key.
    throw new ChainUnavailable('a signature cannot be checked: the node does not answer', {
      cause: error instanceof Error ? error.name : undefined,
    })
  }
}
