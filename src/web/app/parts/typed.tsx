import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

export interface TypedField {
  readonly label: string
  readonly description?: ReactNode
  /** As typed: a part of it is never dropped. */
  readonly value: string
  readonly change: (value: string) => void
  /** What is wrong with a number that is one. */
  readonly fault?: string | null
  readonly size?: 'sm' | 'md'
  readonly maxWidth?: number
  readonly disabled?: boolean
}

interface TypedProps extends TypedField {
  /** Whether the text is a number of the kind that is wanted. */
  readonly isNumber: (text: string) => boolean
  /** Said of what is none. */
  readonly wanted: string
  readonly inputMode: 'numeric' | 'decimal'
}

/** A field for a number of one kind, which keeps what is typed. */
export function Typed({ isNumber, wanted, inputMode, ...field }: TypedProps) {
  const { label, description, value, change, fault = null, size = 'sm' } = field
  return (
    <TextInput
      label={label}
      description={description}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      inputMode={inputMode}
      autoComplete="off"
      size={size}
      {...(field.maxWidth !== undefined && { maw: field.maxWidth })}
      disabled={field.disabled ?? false}
      error={value.trim() !== '' && !isNumber(value) ? wanted : fault}
    />
  )
}
