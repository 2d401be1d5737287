import { TextInput } from '@mantine/core'
import { unitsOfText } from './token-units.ts'

/** An amount of RCOMPUTE, kept as text: a number would lose its last digits. */
export function Tokens({
  label,
  description,
  value,
  change,
  fault,
}: {
  readonly label: string
  readonly description: string
  readonly value: string
  readonly change: (value: string) => void
  readonly fault: string | null
}) {
  const isWrong = value.trim() !== '' && unitsOfText(value) === undefined
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      inputMode="decimal"
      autoComplete="off"
      error={isWrong ? 'An amount above 0, such as 1000 or 2.5.' : fault}
      maw={320}
    />
  )
}
