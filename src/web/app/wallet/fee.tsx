import { Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Address, formatUnits } from 'viem'
import type { WebConfig } from '../../api.ts'
import { explain } from '../api/explain.ts'
import { readerOf } from '../chain/reader.ts'
import { WithCode } from '../parts/with-code.tsx'
import { type Call, NEXT_BLOCK } from './call.ts'

interface Asked {
  readonly web: WebConfig
  readonly wallet: Address
  /** Undefined: it is not known yet what to send. */
  readonly call: Call | undefined
}

const AGAIN_MS = 15_000
/** A refusal may be over with the next block, as that of votes which were delegated just now. */
const REFUSED_AGAIN_MS = 1_000
const DIGITS = 2

/** What a call would cost now, and whether it would be refused. */
export function useFee({ web, wallet, call }: Asked) {
  return useQuery({
    queryKey: ['chain', 'fee', wallet, call?.address, call?.functionName, textOf(call?.args)],
    queryFn: async () => {
      const client = readerOf(web)
      const [gas, price] = await Promise.all([
        client.estimateContractGas({ ...call!, account: wallet, blockTag: NEXT_BLOCK }),
        client.getGasPrice(),
      ])
      return gas * price
    },
    enabled: call !== undefined,
    // A letter more in a reason costs much the same: the button does not blink while that is asked.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.error ? REFUSED_AGAIN_MS : AGAIN_MS),
    retry: false,
  })
}

const textOf = (args: readonly unknown[] = []): string =>
  JSON.stringify(args, (_, value) => (typeof value === 'bigint' ? `${value}` : value))

export function Fee({
  web,
  query,
}: {
  readonly web: WebConfig
  readonly query: ReturnType<typeof useFee>
}) {
  const { coin } = web.chain
  if (query.error) {
    const { what, todo } = explain(query.error)
    return (
      <Text size="sm" role="status">
        This would be refused now: <WithCode text={what} /> {todo}
      </Text>
    )
  }
  return (
    <Text size="sm" className="muted">
      It costs no more than the network’s fee
      {query.data === undefined
        ? `, in ${coin.symbol}`
        : `, about ${rounded(formatUnits(query.data, coin.decimals))} ${coin.symbol}`}
      ; your wallet shows it before you confirm.
    </Text>
  )
}

const rounded = (amount: string): string =>
  Number(amount).toLocaleString('en', { maximumSignificantDigits: DIGITS })
