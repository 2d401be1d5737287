import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Address, isHash, withRetry } from 'viem'
import { type Config, useConfig } from 'wagmi'
import type { WebConfig } from '../../api.ts'
import { readerOf } from '../chain/reader.ts'
import { forget, leaveUntold, noteSender, remember } from './sent.ts'
import { type OnItsWay, type Phase, type Say, type TxHash, Undone } from './transact.ts'
import { senderOf } from './whereabouts.ts'

const SAID: Readonly<Record<Phase, string>> = {
  preparing: 'Preparing it…',
  signing: 'Waiting for you to confirm in your wallet…',
  sending: 'Sending it to the chain…',
  confirming: 'Sent. Waiting for it to get into a block…',
}

/** What shows something that a transaction may have changed. */
export const CHANGED_BY_TRANSACTIONS = [
  ...['account', 'movements', 'arrivals', 'readContract', 'chain'],
]

interface Transaction<Input> {
  readonly web: WebConfig
  readonly wallet: Address
  /** What its button says. */
  readonly what: (input: Input) => string
  readonly run: (config: Config, input: Input, say: Say) => Promise<TxHash>
  /** It is on its way, whatever becomes of it: what was typed for it is done with. */
  readonly onSent?: () => void
}

/** One thing that the wallet does on chain, with a line that says how far it is. */
export function useTransaction<Input>({ web, wallet, what, run, onSent }: Transaction<Input>) {
  const config = useConfig()
  const client = useQueryClient()
  const [phase, setPhase] = useState<Phase>('preparing')
  const following = useFollowing()
  const mutation = useMutation({
    mutationFn: async (input: Input) => {
      setPhase('preparing')
      const place = window.location.pathname
      const noteSent = ({ hash, of }: OnItsWay) => {
        const from = wallet.toLowerCase() as Address
        const about = { wallet: from, chainId: web.chain.id, place, what: what(input) }
        if (!isHash(hash)) throw new NoHash('What the wallet answered is no transaction.')
        remember({ hash, ...about, ...(of !== undefined && { of }) })
        following.begin(hash)
        onSent?.()
        void learnSender(web, hash)
      }
      const say: Say = (next, sent) => {
        setPhase(next)
        if (sent) noteSent(sent)
      }
      try {
        const tx = await run(config, input, say)
        following.end(forget)
        return tx
      } catch (error) {
        // Of all else it is not known what becomes of it.
        following.end(error instanceof Undone ? forget : leaveUntold)
        throw error
      }
    },
    // Also after a failure: it may have been sent all the same.
    onSettled: () => {
      for (const name of CHANGED_BY_TRANSACTIONS)
        void client.invalidateQueries({ queryKey: [name] })
    },
  })
  return {
    ...mutation,
    said: mutation.isPending ? SAID[phase] : undefined,
    isSigning: mutation.isPending && phase === 'signing',
  }
}

/** The wallet may have sent something, and does not say what. */
class NoHash extends Error {
  override readonly name = 'NoHash'
}

/** What this place says how far it is, for as long as it is there. */
function useFollowing() {
  const hashes = useRef(new Set<TxHash>())
  const isHere = useRef(false)
  useEffect(() => {
    const { current } = hashes
    isHere.current = true
    return () => {
      isHere.current = false
      current.forEach(leaveUntold)
    }
  }, [])
  return {
    // The wallet may answer when its account or chain is another one, and this place has gone.
    begin: (hash: TxHash) => (isHere.current ? hashes.current.add(hash) : leaveUntold(hash)),
    end: (how: (hash: TxHash) => void) => {
      hashes.current.forEach(how)
      hashes.current.clear()
    },
  }
}

const TRIES = { retryCount: 5, delay: 2_000 }

/** The wallet may have handed it to another node than the one that is asked here. */
async function learnSender(web: WebConfig, hash: TxHash): Promise<void> {
  const look = async () => {
    const sender = await senderOf(readerOf(web), hash)
    if (!sender) throw new Error(`${hash} is not known yet`)
    noteSender(hash, sender)
  }
  // What is never learned is only said less exactly.
  await withRetry(look, TRIES).catch(() => {})
}
