import type { Json, SchemaObject } from '../openapi/schema-object.ts'

type Components = Readonly<Record<string, SchemaObject>>

/** A schema of the OpenAPI document as a Markdown table of its fields. */
export function fieldTable(schema: SchemaObject, components: Components = {}): string {
  const { properties } = schema
  if (!isSchema(properties)) return `${typeText(schema)}. ${textOf(schema.description)}`
  const required = Array.isArray(schema.required) ? schema.required : []
  return table(
    ['Field', 'Type', ''],
    Object.entries(properties).flatMap(([name, field]) =>
      isSchema(field)
        ? [
            [
              `\`${name}\`${required.includes(name) ? '' : ' *optional*'}`,
              typeText(field),
              notes(field, components),
            ],
          ]
        : [],
    ),
  )
}

/** `string or null`, `array of [Message](#type-Message)`. */
export function typeText(schema: SchemaObject): string {
  const component = componentOf(schema)
  if (component) return `[${component}](#type-${component})`
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isSchema).map(typeText).join(' or ')
  const words = wordsOf(schema)
  if (words) return words.map((word) => `\`${JSON.stringify(word)}\``).join(', ')
  if (schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'))) {
    const items = isSchema(schema.items) ? typeText(schema.items) : ''
    return `array of ${items || 'anything'}${Array.isArray(schema.type) ? ' or null' : ''}`
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  return typeof schema.type === 'string' ? schema.type : 'anything'
}

function wordsOf({ enum: words, const: only }: SchemaObject): readonly Json[] | undefined {
  if (Array.isArray(words)) return words
  return only === undefined ? undefined : [only]
}

/** Description and bounds. */
function notes(schema: SchemaObject, components: Components): string {
  return [aboutOf(schema, components), ...bounds(schema)].filter(Boolean).join(' ')
}

function bounds(schema: SchemaObject): string[] {
  const { minimum, maximum, minItems, maxItems, minLength, format, pattern } = schema
  const unbounded = Math.abs(Number(minimum ?? 0)) === Number.MAX_SAFE_INTEGER
  return [
    unbounded ? '' : span(minimum, maximum),
    span(minItems, maxItems, ' entries'),
    minLength === 1 ? 'Not empty.' : '',
    format === 'date-time' ? 'ISO 8601, UTC.' : '',
    typeof pattern === 'string' ? `Form \`${pattern.replaceAll('|', '\\|')}\`.` : '',
    schema.default === undefined ? '' : `Default \`${JSON.stringify(schema.default)}\`.`,
  ]
}

/** What the field says of itself, else what its type does. */
function aboutOf(schema: SchemaObject, components: Components): string {
  if (schema.description !== undefined) return textOf(schema.description)
  const inside = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema) : [schema]
  const names = inside.flatMap((each) => componentOf(each) ?? [])
  return names.map((name) => textOf(components[name]?.description)).join(' ')
}

function span(least?: Json, most?: Json, unit = ''): string {
  if (most === 0) return 'Always empty.'
  if (least !== undefined && least === most) return ''
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}.`
  if (least !== undefined && least !== 0) return `At least ${least}${unit}.`
  return most === undefined ? '' : `At most ${most}${unit}.`
}

export const componentOf = ({ $ref }: SchemaObject): string | undefined =>
  typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined

export const isSchema = (value: Json | undefined): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
