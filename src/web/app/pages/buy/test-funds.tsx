import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { Problem } from '../../parts/problem.tsx'

/** On development networks: coin and tokens that are worth nothing. */
export function TestFunds() {
  const client = useQueryClient()
  const fund = useMutation({
    mutationFn: () => call<unknown>('POST', '/development/fund'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['readContract'] }),
  })
  return (
    <Alert color="orange" variant="light" title="Development network">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm">
            Take some coin and USDG that are worth nothing, to try everything out.
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
