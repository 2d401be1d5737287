import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApi, OperationObject } from '../../../src/edge/openapi/shape.ts'

/** What OpenAPI 3.1 asks of a document, as far as ours could break it. @returns what is wrong */
export function openApiFaults(document: OpenApi): string[] {
  return [
    ...topFaults(document),
    ...operationsOf(document).flatMap(({ path, operation }) => [
      ...parameterFaults(path, operation),
      ...responseFaults(path, operation),
      ...securityFaults(document, operation),
    ]),
    ...repeated(operationsOf(document).map(({ operation }) => operation.operationId)),
    ...refFaults(document),
    ...schemaFaults(document),
  ]
}

export function operationsOf(document: OpenApi) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method]
      return operation ? [{ path, method, operation }] : []
    }),
  )
}

function topFaults({ openapi, info, paths, servers, components, tags }: OpenApi): string[] {
  const keys = Object.values(components).flatMap((part) => Object.keys(part))
  const faults = [
    openapi === '3.1.0' ? '' : `openapi is ${openapi}`,
    typeof info.title === 'string' && typeof info.version === 'string' ? '' : 'info is not whole',
    servers.every(({ url }) => url !== '') ? '' : 'a server without an address',
    ...keys.map((key) => (/^[a-zA-Z0-9._-]+$/.test(key) ? '' : `component ${key}`)),
    ...Object.keys(paths).map((path) => (path.startsWith('/') ? '' : `path ${path}`)),
    ...repeated(tags.map(({ name }) => name)),
  ]
  return faults.filter(Boolean)
}

function parameterFaults(path: string, { operationId, parameters = [] }: OperationObject) {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  const declared = parameters.filter((each) => each.in === 'path')
  return [
    ...inPath
      .filter((name) => !declared.some((each) => each.name === name && each.required))
      .map((name) => `${operationId}: {${name}} is not declared as required`),
    ...declared
      .filter(({ name }) => !inPath.includes(name))
      .map(({ name }) => `${operationId}: ${name} is not in the path`),
    ...repeated(parameters.map((each) => `${each.in} ${each.name}`)),
  ]
}

function responseFaults(path: string, { operationId, responses, summary }: OperationObject) {
  const statuses = Object.keys(responses)
  return [
    /^\w+$/.test(operationId) && summary ? [] : [`${path} has no name or summary`],
    statuses.some((status) => status.startsWith('2'))
      ? []
      : [`${operationId}: no answer of success`],
    statuses.filter((status) => !/^[1-5]\d\d$/.test(status)).map((s) => `${operationId}: ${s}`),
  ].flat()
}

function securityFaults({ components, security, tags }: OpenApi, operation: OperationObject) {
  const schemes = (operation.security ?? security).flatMap((each) => Object.keys(each))
  return [
    ...schemes.filter((scheme) => !Object.hasOwn(components.securitySchemes, scheme)),
    ...operation.tags.filter((tag) => !tags.some(({ name }) => name === tag)),
  ]
}

/** Every reference leads somewhere inside the document. */
function refFaults(document: OpenApi): string[] {
  const faults: string[] = []
  walk(document, (node) => {
    if (typeof node.$ref !== 'string') return
    let at: unknown = document
    for (const step of node.$ref.replace(/^#\//, '').split('/')) {
      at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined
    }
    if (at === undefined) faults.push(`${node.$ref} leads nowhere`)
  })
  return faults
}

/** Every schema is one by the meta-schema of JSON Schema 2020-12, which 3.1 builds on. */
function schemaFaults(document: OpenApi): string[] {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const faults: string[] = []
  const check = (schema: object, where: string) => {
    if (!ajv.validateSchema(schema)) faults.push(`${where}: ${ajv.errorsText()}`)
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) check(schema, name)
  walk(document, (node) => {
    if (typeof node.schema === 'object' && node.schema !== null) check(node.schema, 'a schema')
  })
  return faults
}

function walk(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) visit(node as Record<string, unknown>)
  for (const each of Object.values(node)) walk(each, visit)
}

const repeated = (names: readonly string[]): string[] =>
  names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is there twice`)
