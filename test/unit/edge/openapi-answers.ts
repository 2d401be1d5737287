import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApi } from '../../../src/edge/openapi/shape.ts'

/** Checks values against schemas of an OpenAPI document, where any field it does not name is a fault. */
export class DocumentedSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })

  constructor(document: OpenApi) {
    addFormats.default(this.#ajv)
    const { schemas } = document.components
    this.#ajv.addSchema({ $id: 'openapi', components: { schemas: closed(schemas) } })
  }

  /** @returns what is wrong with `value` as a component of this name, or '' */
  faultsAs(component: string, value: unknown): string {
    return this.faultsBy({ $ref: `openapi#/components/schemas/${component}` }, value)
  }

  faultsBy(schema: AnySchema, value: unknown): string {
    const validate = this.#ajv.compile(absolute(schema) as AnySchema)
    return validate(value)
      ? ''
      : `${this.#ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`
  }
}

const absolute = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'))

/** Objects take no field beyond those they name. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(closed)
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)])
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object'
  return Object.fromEntries([...entries, ...(isObject ? [['additionalProperties', false]] : [])])
}
