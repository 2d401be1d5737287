import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { WebAccount } from '../../../api.ts'
import { readOwnCredits } from '../../chain/own-credits.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { OnYourOwn } from './on-your-own.tsx'
import type { FromWallet } from './withdraw-props.ts'

const LOOK_MS = 5_000

interface Props extends FromWallet {
  /** Undefined: the service does not tell. */
  readonly account: WebAccount | undefined
}

/** The way that needs nothing of the service: where it does not tell what there is, the chain is asked. */
export function WithoutUs({ wallet, web, account }: Props) {
  const query = useQuery({
    queryKey: ['chain', 'own-credits', wallet],
    queryFn: () => readOwnCredits(web, wallet),
    enabled: account === undefined,
    refetchInterval: LOOK_MS,
  })
  // What is said and sent in here stays when the service tells again.
  const known = account ?? query.data
  return (
    <>
      {account === undefined && <Loaded query={query}>{FromChain}</Loaded>}
      {known && <OnYourOwn wallet={wallet} web={web} account={known} />}
    </>
  )
}

const FromChain = () => (
  <Text role="status">
    What you see here is read from the chain itself, and this way works without the service.
  </Text>
)
