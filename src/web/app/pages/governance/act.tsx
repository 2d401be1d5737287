import { useQuery } from '@tanstack/react-query'
import type { Address } from 'viem'
import type { WebConfig } from '../../../api.ts'
import { readModels, readVoter } from '../../chain/governance.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { AnyWallet } from '../../wallet/any-wallet.tsx'
import { TestFunds } from '../../wallet/test-funds.tsx'
import { Delegate } from './delegate.tsx'
import { Propose } from './propose.tsx'
import { useRules } from './use-rules.ts'

export function Act() {
  return <AnyWallet>{(wallet, web) => <WithWallet wallet={wallet} web={web} />}</AnyWallet>
}

function WithWallet({ wallet, web }: { readonly wallet: Address; readonly web: WebConfig }) {
  const voter = useQuery({
    queryKey: ['chain', 'voter', wallet],
    queryFn: () => readVoter(web, wallet),
  })
  const rules = useRules(web)
  const models = useQuery({ queryKey: ['chain', 'models'], queryFn: () => readModels(web) })
  return (
    <Loaded query={voter}>
      {(own) => (
        <>
          {web.development && <TestFunds wallet={wallet} />}
          <Delegate wallet={wallet} web={web} voter={own} />
          {rules.data?.votesRuleModels && models.data && (
            <Propose
              wallet={wallet}
              web={web}
              voter={own}
              threshold={rules.data.threshold}
              models={models.data}
            />
          )}
        </>
      )}
    </Loaded>
  )
}
