import { createPublicClient, hashMessage, http, isHex, type PublicClient } from 'viem'
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
/** How far a browser's clock may be ahead, and how long somebody may take to sign. */
const AHEAD_MS = 5 * 60_000
const AGE_MS = 15 * 60_000

/** EIP-4361, for accounts with a key, contract accounts (ERC-1271) and those to be (ERC-6492). */
export function makeSignIn({ rpcUrl, chainId }: Options): SignIn {
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1 }),
  })
  return {
    verify: async ({ message, signature }, { origin, at }) => {
      const parsed = parse(message)
      if (!parsed) return err('The message is no sign-in message (EIP-4361); start again.')
      const wrong = whatIsWrong(parsed, { origin, chainId, at })
      if (wrong) return err(wrong)
      if (!isHex(signature) || signature.length > SIGNATURE_CHARS_MAX) {
        return err('The signature is not in hexadecimal form.')
      }
      if (!(await isSigned(client, parsed, message, signature))) {
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

async function isSigned(
  client: PublicClient,
  { address }: SiweMessage,
  message: string,
  signature: Hex,
): Promise<boolean> {
  const hash = hashMessage(message)
  try {
    // `eoa`: most accounts have a key, and for those no node is asked.
    if (await client.verifyHash({ address, hash, signature, mode: 'eoa' })) return true
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
