import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Solvency } from '../../../api.ts'
import { configQuery } from '../../api/queries.ts'
import { AddressLink } from '../../parts/tx-link.tsx'
import { credits, USDG_PER_CREDIT } from '../../parts/words.ts'

/** A sum that anyone can follow: what is owed to each side, and what is there. */
export function SolvencySum({ solvency }: { readonly solvency: Solvency | null }) {
  const { data: config } = useQuery(configQuery)
  return (
    <section className="card">
      <Title order={2} size="h4" mb={4}>
        Solvency
      </Title>
      {solvency === null ? (
        <Text>
          The chain does not answer at the moment, or is read for the first time since a start,
          which takes a while. This page looks again by itself.
        </Text>
      ) : (
        <>
          <Text size="sm" className="muted" mb="sm">
            Read from the chain at block {solvency.block_number.toLocaleString('en')}
            {config && (
              <>
                , from the contract <AddressLink address={config.contracts.job_escrow} />
              </>
            )}
            .
          </Text>
          <Sum solvency={solvency} />
        </>
      )}
    </section>
  )
}

function Sum({ solvency }: { readonly solvency: Solvency }) {
  const { accounts_credits, locks_credits, contract_usdg, surplus_usdg } = solvency
  const owed = [
    [`Wallets’ balances, ${credits(accounts_credits)}`, accounts_credits * USDG_PER_CREDIT],
    [`Locked for jobs that run, ${credits(locks_credits)}`, locks_credits * USDG_PER_CREDIT],
    ['Earned by workers, not paid out yet', solvency.earnings_usdg],
    ['Earned by the treasury, not paid out yet', solvency.treasury_usdg],
    ['Held for disputes, until they are decided', solvency.disputed_usdg],
  ] as const
  const total = owed.reduce((sum, [, amount]) => sum + amount, 0)
  const covered = surplus_usdg >= 0
  return (
    <table className="sum">
      <thead>
        <tr>
          <th scope="col">Owed to</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody>
        {owed.map(([name, amount], i) => (
          <tr key={name}>
            <th scope="row">
              {i > 0 && <span className="muted">+ </span>}
              {name}
            </th>
            <td className="numbers">{exact(amount)}</td>
          </tr>
        ))}
        <tr className="sum-line">
          <th scope="row">= Owed in all</th>
          <td className="numbers">{exact(total)}</td>
        </tr>
        <tr>
          <th scope="row">The contract holds</th>
          <td className="numbers">{exact(contract_usdg)}</td>
        </tr>
        <tr className="sum-line">
          <th scope="row">
            {covered ? '✓ Everything is covered; beyond it there is' : '✗ Not covered; there lack'}
          </th>
          <td className="numbers">{exact(Math.abs(surplus_usdg))}</td>
        </tr>
      </tbody>
    </table>
  )
}

/** Shares of a credit have four decimals; to the last unit of the token, so that the sum comes out as one adds it. */
const DIGITS = { minimumFractionDigits: 4, maximumFractionDigits: 6 } as const
const exact = (usdg: number): string => `${usdg.toLocaleString('en', DIGITS)} USDG`
