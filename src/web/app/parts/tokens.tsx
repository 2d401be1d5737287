import { unitsOfText } from './token-units.ts'
import { Typed, type TypedField } from './typed.tsx'

/** An amount of RCOMPUTE, kept as text: a number would lose its last digits. */
export const Tokens = (field: TypedField) => (
  <Typed
    {...field}
    isNumber={(text) => unitsOfText(text) !== undefined}
    wanted="An amount above 0, such as 1000 or 2.5."
    inputMode="decimal"
    maxWidth={320}
  />
)
