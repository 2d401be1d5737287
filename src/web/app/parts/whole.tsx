import { Typed, type TypedField } from './typed.tsx'
import { wholeNumber } from './typed-number.ts'

interface WholeProps extends TypedField {
  /** What is counted, such as credits. */
  readonly unit: string
}

/** A field for a whole number. */
export const Whole = ({ unit, ...field }: WholeProps) => (
  <Typed
    {...field}
    isNumber={(text) => wholeNumber(text) !== undefined}
    wanted={`Whole ${unit} only, such as 1000 or 1,000.`}
    inputMode="numeric"
  />
)
