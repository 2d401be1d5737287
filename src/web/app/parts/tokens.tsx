import { TextInput } from '@mantine/core'
import { parseUnits } from 'viem'

const DECIMALS = 18

/** Units of RCOMPUTE; undefined: no amount. */
export function unitsOfText(text: string): bigint | undefined {
  const plain = text.replaceAll(',', '')
  if (!/^\d{1,15}(?:\.\d{1,18})?$/.test(plain)) return undefined
  const units = parseUnits(plain, DECIMALS)
  return units > 0n ? units : undefined
}

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
  const isWrong = value !== '' && unitsOfText(value) === undefined
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value.trim())}
      inputMode="decimal"
      autoComplete="off"
      error={isWrong ? 'An amount above 0, such as 1000 or 2.5.' : fault}
      maw={320}
    />
  )
}
