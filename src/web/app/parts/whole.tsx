import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { wholeNumber } from './typed-number.ts'

interface WholeProps {
  readonly label: string
  readonly description?: ReactNode
  /** What is counted, such as credits. */
  readonly unit: string
  /** As typed: a part of it is never dropped. */
  readonly value: string
  readonly change: (value: string) => void
  /** What is wrong with a number that is whole. */
  readonly fault?: string | null
  readonly size?: 'sm' | 'md'
  readonly maxWidth?: number
  readonly disabled?: boolean
}

/** A field for a whole number. */
export function Whole(props: WholeProps) {
  const { label, description, unit, value, change, fault = null, size = 'sm' } = props
  const isWrong = value.trim() !== '' && wholeNumber(value) === undefined
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      inputMode="numeric"
      autoComplete="off"
      size={size}
      {...(props.maxWidth !== undefined && { maw: props.maxWidth })}
      disabled={props.disabled ?? false}
      error={isWrong ? `Whole ${unit} only, such as 1000 or 1,000.` : fault}
    />
  )
}
