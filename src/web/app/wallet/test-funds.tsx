import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Address } from 'viem'
import type { TestFunds as TestFundsReply } from '../../api.ts'
import { call } from '../api/call.ts'
import { Problem } from '../parts/problem.tsx'

/** What shows balances of wallets. */
const KEYS = ['readContract', 'chain'] as const

/** On development networks: coin and tokens that are worth nothing. */
export function TestFunds({ wallet }: { readonly wallet: Address }) {
  const client = useQueryClient()
  const fund = useMutation({
    mutationFn: () => call<TestFundsReply>('POST', '/development/fund', { wallet }),
    onSuccess: () =>
      Promise.all(KEYS.map((queryKey) => client.invalidateQueries({ queryKey: [queryKey] }))),
  })
  return (
    <Alert color="orange" variant="light" title="Development network">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm">
            Take some coin, USDG and RCOMPUTE that are worth nothing, to try everything out.
          </Text>
          <Button
            size="xs"
            color="orange"
            variant="outline"
            loading={fund.isPending}
            onClick={() => fund.mutate()}
          >
            Get test funds
          </Button>
        </Group>
        <Text size="sm" role="status">
          {fund.isSuccess ? 'Test funds have arrived in your wallet.' : ''}
        </Text>
        {fund.error && <Problem error={fund.error} />}
      </Stack>
    </Alert>
  )
}
