import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { credits, usdgOfCredits } from './words.ts'

/** Why an amount cannot be taken, or nothing. */
export type AmountFault = string | null

interface AmountProps {
  readonly label: string
  readonly value: number | ''
  readonly change: (value: number | '') => void
  readonly fault: AmountFault
  readonly presets: readonly { readonly label: string; readonly credits: number }[]
  readonly disabled?: boolean
}

/** Whole credits, with what they are worth beside them. */
export function Amount({ label, value, change, fault, presets, disabled = false }: AmountProps) {
  return (
    <Stack gap="xs">
      <NumberInput
        label={label}
        description={
          value === '' ? 'In whole credits' : `${credits(value)} = ${usdgOfCredits(value)}`
        }
        value={value}
        onChange={(next) => change(typeof next === 'number' ? next : '')}
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        hideControls
        inputMode="numeric"
        size="md"
        maw={320}
        disabled={disabled}
        error={fault}
      />
      <Group gap="xs">
        {presets.map((preset) => (
          <Button
            key={preset.label}
            size="compact-sm"
            variant="default"
            disabled={disabled || preset.credits === 0}
            onClick={() => change(preset.credits)}
          >
            {preset.label}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
