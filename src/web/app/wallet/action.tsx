import { Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Address } from 'viem'
import type { Config } from 'wagmi'
import type { WebConfig } from '../../api.ts'
import { Problem } from '../parts/problem.tsx'
import { Done, Progress } from '../parts/progress.tsx'
import { TxLink } from '../parts/tx-link.tsx'
import { type Call, sendCall } from './call.ts'
import { Fee, useFee } from './fee.tsx'
import type { Say, TxHash } from './transact.ts'
import { useTransaction } from './use-transaction.ts'

interface ActionProps {
  readonly web: WebConfig
  readonly wallet: Address
  /** Undefined: something is missing or wrong, which the form says. */
  readonly call: Call | undefined
  /** In place of `call`, where more than one step is needed; `call` is then not asked about. */
  readonly run?: (config: Config, say: Say) => Promise<TxHash>
  readonly label: string
  /** Said here when it is done; undefined: whoever has it says so, since this will be gone. */
  readonly done?: string
  readonly onDone?: (tx: TxHash) => void
  readonly isMain?: boolean
  /** What happens next. */
  readonly children?: ReactNode
}

/** A button for one transaction, with what it costs and what happens next said above it. */
export function Action(props: ActionProps) {
  const { web, wallet, call, run, label, done, onDone, isMain = false, children } = props
  const fee = useFee({ web, wallet, call: run ? undefined : call })
  const send = useTransaction({
    ...{ web, wallet, what: () => label },
    run: async (config, _: undefined, say) => {
      const tx = run
        ? await run(config, say)
        : await sendCall(config, call!, { wallet, chainId: web.chain.id }, say)
      // Not by the mutation's own callback, which is skipped once this button is gone.
      onDone?.(tx)
      return tx
    },
  })
  const isWanted = call !== undefined || run !== undefined
  const isOver = useIsOver(isWanted, send.isPending)
  const tx = isOver ? undefined : send.data
  // What the chain would refuse, or has not been asked about, cannot be sent.
  const isReady = run !== undefined || (call !== undefined && fee.isSuccess)
  return (
    <Stack gap="xs">
      {children && (
        <Text size="sm" className="muted">
          {children}
        </Text>
      )}
      {isWanted && !tx && <Fee web={web} query={fee} />}
      <div>
        <Button
          variant={isMain ? 'filled' : 'default'}
          disabled={!isReady}
          loading={send.isPending}
          onClick={() => send.mutate(undefined)}
        >
          {label}
        </Button>
      </div>
      <Progress text={send.said} />
      {send.error && <Problem error={send.error} />}
      {tx && done && (
        <Done title={done}>
          <TxLink hash={tx} />
        </Done>
      )}
    </Stack>
  )
}

/** What was done is over once something else is to be sent: its fee and its refusal are said instead. */
function useIsOver(isWanted: boolean, isPending: boolean): boolean {
  const [wasWanted, setWasWanted] = useState(isWanted)
  const [isOver, setOver] = useState(false)
  if (isPending && isOver) setOver(false)
  if (isWanted !== wasWanted) {
    setWasWanted(isWanted)
    setOver(isWanted && !isPending)
  }
  return isOver
}
