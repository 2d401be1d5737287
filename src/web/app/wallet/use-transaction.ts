import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Config, useConfig } from 'wagmi'
import type { Phase, TxHash } from './transact.ts'

const SAID: Readonly<Record<Phase, string>> = {
  signing: 'Waiting for you to confirm in your wallet…',
  sending: 'Sending it to the chain…',
  confirming: 'Sent. Waiting for it to get into a block…',
}

/** One thing that the wallet does on chain, with a line that says how far it is. */
export function useTransaction<Input>(
  run: (config: Config, input: Input, say: (phase: Phase) => void) => Promise<TxHash>,
) {
  const config = useConfig()
  const client = useQueryClient()
  const [phase, setPhase] = useState<Phase>('signing')
  const mutation = useMutation({
    mutationFn: (input: Input) => run(config, input, setPhase),
    // Also after a failure: it may have been sent all the same.
    onSettled: () => {
      for (const name of ['account', 'movements', 'arrivals', 'readContract', 'chain'])
        void client.invalidateQueries({ queryKey: [name] })
    },
  })
  return { ...mutation, said: mutation.isPending ? SAID[phase] : undefined }
}
