import type { SchemaObject } from './schema-object.ts'

/** The parts of an OpenAPI 3.1 document that we write. */
export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: SchemaObject
  readonly servers: readonly { readonly url: string; readonly description?: string }[]
  readonly security: readonly SchemaObject[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly securitySchemes: SchemaObject
  }
}
export interface PathItem {
  readonly servers?: readonly { readonly url: string }[]
  readonly get?: OperationObject
  readonly post?: OperationObject
  readonly delete?: OperationObject
}
export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly []
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>
}
export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: SchemaObject
}
export interface ResponseObject {
  readonly description: string
  readonly headers: Readonly<Record<string, Ref>>
  readonly content: Content
  /** Of a refusal: the codes it may carry. */
  readonly 'x-error-codes'?: readonly string[]
}
export interface HeaderObject {
  readonly description: string
  readonly required?: true
  readonly schema: SchemaObject
}
export type Content = Readonly<Record<string, { readonly schema: SchemaObject }>>
export interface Ref {
  readonly $ref: string
}
