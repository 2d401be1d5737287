import { Alert, Button, Group, Text } from '@mantine/core'
import { explain, isFinal, isRejection } from '../api/explain.ts'
import { WithCode } from './with-code.tsx'

/** An error where it happened: what was wrong and what to do. */
export function Problem({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
}) {
  const { what, todo, requestId } = explain(error)
  return (
    <Alert
      color={isRejection(error) ? 'gray' : 'red'}
      variant="light"
      role="alert"
      title={<WithCode text={what} />}
    >
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm">{todo}</Text>
          {requestId && (
            <Text size="xs" className="mono">
              Request {requestId}
            </Text>
          )}
        </div>
        {retry && !isFinal(error) && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
