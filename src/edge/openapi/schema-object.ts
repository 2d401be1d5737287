import { isDeepStrictEqual } from 'node:util'
import { shownInstead } from '../../api/schemas/forms.ts'
import { assert } from '../../domain/result.ts'

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [k: string]: Json }
export interface SchemaObject {
  readonly [keyword: string]: Json
}

/** Turns schemas that validate into schemas of the document; those with a title become components. */
export class SchemaObjects {
  readonly components: Record<string, SchemaObject> = {}

  of(schema: object): SchemaObject {
    const shown = { ...(shownInstead(schema) ?? schema) }
    if (!('title' in shown) || typeof shown.title !== 'string') return this.#plain(shown)
    const { title, ...untitled } = shown
    const component = this.#plain(untitled)
    const known = this.components[title]
    assert(!known || isDeepStrictEqual(known, component), `two schemas are called ${title}`)
    this.components[title] = component
    return { $ref: `#/components/schemas/${title}` }
  }

  #plain(schema: object): SchemaObject {
    // Symbols, in which the library keeps its own marks, are not among the entries.
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#value(keyword, value)]),
    )
  }

  #value(keyword: string, value: unknown): Json {
    if (isObject(value)) {
      if (keyword === 'items') return this.of(value)
      if (keyword === 'properties') {
        return Object.fromEntries(
          Object.entries(value).map(([name, schema]) => [name, this.of(schema)]),
        )
      }
    }
    if (keyword === 'anyOf' && Array.isArray(value)) return value.map((schema) => this.of(schema))
    return value as Json
  }
}

const isObject = (value: unknown): value is Record<string, object> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
