import { Button, Group, Stack } from '@mantine/core'
import { wholeNumber } from './typed-number.ts'
import { Whole } from './whole.tsx'
import { credits, usdgOfCredits } from './words.ts'

/** Why an amount cannot be taken, or nothing. */
export type AmountFault = string | null

interface AmountProps {
  readonly label: string
  /** As typed; `wholeNumber` reads it. */
  readonly value: string
  readonly change: (value: string) => void
  readonly fault: AmountFault
  readonly presets: readonly { readonly label: string; readonly credits: number }[]
  readonly disabled?: boolean
}

/** Whole credits, with what they are worth beside them. */
export function Amount({ label, value, change, fault, presets, disabled = false }: AmountProps) {
  const count = wholeNumber(value)
  return (
    <Stack gap="xs">
      <Whole
        label={label}
        description={
          count === undefined ? 'In whole credits' : `${credits(count)} = ${usdgOfCredits(count)}`
        }
        unit="credits"
        value={value}
        change={change}
        fault={fault}
        size="md"
        maxWidth={320}
        disabled={disabled}
      />
      <Group gap="xs">
        {presets.map((preset) => (
          <Button
            key={preset.label}
            size="compact-sm"
            variant="default"
            disabled={disabled || preset.credits === 0}
            onClick={() => change(preset.credits.toLocaleString('en'))}
          >
            {preset.label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
