import { assert } from '../../domain/result.ts'
import type { SchemaObject } from '../openapi/schema-object.ts'
import type { OpenApi, OperationObject, PathItem, ResponseObject } from '../openapi/shape.ts'
import { componentOf, fieldTable, isSchema, table, typeText } from './field-table.ts'

/** Endpoints of the OpenAPI document and the types they speak of, as Markdown. */
export function operationSections(document: OpenApi, operationIds: readonly string[]): string {
  const found = operationIds.map((id) => find(document, id))
  const types = new Set<string>()
  for (const { operation } of found) {
    for (const schema of schemasOf(operation)) collectTypes(document, schema, types)
  }
  return [
    ...found.map((each) => operationSection(document, each)),
    ...(types.size > 0 ? ['### Types'] : []),
    ...[...types].map((name) => typeSection(document, name)),
  ].join('\n\n')
}

function operationSection(document: OpenApi, { method, path, operation }: Found): string {
  const body = operation.requestBody?.content['application/json']?.schema
  const answers = Object.entries(okResponse(operation).content).map(
    ([type, { schema }]) => `${typeText(schema)} as \`${type}\``,
  )
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} ${document.servers[0]?.url}${path}\``,
    operation.description,
    ...parameterTable(operation),
    ...(body ? [`**Request body**: ${typeText(body)}`] : []),
    `**Answer** (${okStatus(operation)}): ${answers.join(', or ')}`,
    ...headerTable(document, operation),
    `**Errors**: ${errorLinks(document, operation)}`,
  ].join('\n\n')
}

const schemasOf = (operation: OperationObject): SchemaObject[] =>
  [operation.requestBody?.content ?? {}, okResponse(operation).content].flatMap((content) =>
    Object.values(content).map(({ schema }) => schema),
  )

/** All endpoints. Markdown. */
export function endpointTable(document: OpenApi): string {
  return table(
    ['Endpoint', '', 'Key'],
    everyOperation(document).map(({ method, path, operation }) => [
      `\`${method.toUpperCase()} ${path}\``,
      operation.summary,
      operation.security ? 'no' : 'yes',
    ]),
  )
}

const METHODS = ['get', 'post', 'delete'] as const

function everyOperation({ paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, item]: [string, PathItem]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation ? [{ method, path, operation }] : []
    }),
  )
}

type Found = ReturnType<typeof everyOperation>[number]

function find(document: OpenApi, operationId: string): Found {
  const found = everyOperation(document).find(
    ({ operation }) => operation.operationId === operationId,
  )
  assert(found, `no endpoint is called ${operationId}`)
  return found
}

const okStatus = ({ responses }: Pick<OperationObject, 'responses'>): string =>
  Object.keys(responses).find((status) => status.startsWith('2')) ?? '200'

function okResponse({ responses }: OperationObject): ResponseObject {
  const ok = responses[okStatus({ responses })]
  assert(ok && 'content' in ok, 'every endpoint says what it answers')
  return ok
}

function parameterTable({ parameters = [] }: OperationObject): string[] {
  if (parameters.length === 0) return []
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, description }]),
  )
  const required = parameters.filter((each) => each.required).map(({ name }) => name)
  const places = [...new Set(parameters.map((each) => PLACES[each.in]))].join(' and ')
  return [`**Parameters** (${places})`, fieldTable({ properties, required })]
}
const PLACES = { path: 'in the path', query: 'in the query', header: 'as headers' } as const

function headerTable(document: OpenApi, operation: OperationObject): string[] {
  const rows = Object.keys(okResponse(operation).headers).map((name) => [
    `\`${name}\``,
    document.components.headers[name]?.description ?? '',
  ])
  return ['**Headers of the answer**', table(['Header', ''], rows)]
}

function errorLinks(document: OpenApi, { responses }: OperationObject): string {
  const codes = Object.values(responses).flatMap((response) => {
    if (!('$ref' in response)) return []
    const name = response.$ref.slice('#/components/responses/'.length)
    return document.components.responses[name]?.['x-error-codes'] ?? []
  })
  return codes.map((code) => `[\`${code}\`](errors#${code})`).join(', ')
}

function collectTypes(document: OpenApi, schema: SchemaObject, into: Set<string>): void {
  const name = componentOf(schema)
  if (name) {
    if (into.has(name)) return
    into.add(name)
    collectTypes(document, document.components.schemas[name] ?? {}, into)
    return
  }
  const inside = [
    schema.items,
    ...(isSchema(schema.properties) ? Object.values(schema.properties) : []),
    ...(Array.isArray(schema.anyOf) ? schema.anyOf : []),
  ]
  for (const each of inside) if (isSchema(each)) collectTypes(document, each, into)
}

function typeSection(document: OpenApi, name: string): string {
  const schema = document.components.schemas[name] ?? {}
  const heading = `<h4 id="type-${name}">${name}</h4>`
  const about = schema.properties && schema.description ? [`${schema.description}`] : []
  return [heading, ...about, fieldTable(schema, document.components.schemas)].join('\n\n')
}
