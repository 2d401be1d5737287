import type { TSchema } from '@sinclair/typebox'
import type { ServiceNames } from '../../domain/service-names.ts'
import { errorSchema } from '../schemas/error.ts'
import { ErrorResponses } from './error-responses.ts'
import { type Endpoint, TAGS } from './operation.ts'
import { ALWAYS_THERE, type HeaderName, headerRefs, RESPONSE_HEADERS } from './response-headers.ts'
import { type SchemaObject, SchemaObjects } from './schema-object.ts'
import type { HeaderObject, OpenApi, OperationObject, ParameterObject, PathItem } from './shape.ts'
import { inNames, WRITTEN } from './written-names.ts'

interface Options {
  readonly endpoints: readonly Endpoint[]
  /** Ends in /v1. */
  readonly baseUrl: string
  readonly docsUrl: string
  readonly names: ServiceNames
}

/** The OpenAPI document of these endpoints. */
export function openApiDocument({ endpoints, baseUrl, docsUrl, names }: Options): OpenApi {
  const schemas = new SchemaObjects()
  schemas.of(errorSchema)
  const errors = new ErrorResponses()
  const paths: Record<string, PathItem> = {}
  for (const endpoint of inReadingOrder(endpoints)) {
    const path = publicPath(endpoint)
    paths[path] = {
      ...(paths[path] ?? outsideBase(endpoint.url, baseUrl)),
      [endpoint.method]: operationObject(endpoint, schemas, errors),
    }
  }
  const written = {
    paths,
    components: {
      schemas: schemas.components,
      responses: errors.components,
      headers: headerComponents(schemas),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: `${WRITTEN.keyStart}<32 letters and digits>`,
          description: 'An API key, made in the web app.',
        },
      },
    },
  }
  return {
    openapi: '3.1.0',
    info: info(docsUrl),
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    ...(JSON.parse(inNames(JSON.stringify(written), names)) as typeof written),
  }
}

const inReadingOrder = (endpoints: readonly Endpoint[]): readonly Endpoint[] => {
  const place = ({ operation }: Endpoint) => Object.keys(TAGS).indexOf(operation.tag)
  return [...endpoints].sort((a, b) => place(a) - place(b))
}

const info = (docsUrl: string): SchemaObject => ({
  title: 'Prepaid Inference API',
  version: '1.0.0',
  summary: 'Chat completions from a decentralized pool of workers, paid with prepaid credits.',
  description: `Any client of the common chat-completions protocol works after changing the base URL and the API key. Guides: ${docsUrl}`,
  license: { name: 'MIT', identifier: 'MIT' },
})

const PREFIX = '/v1'

/** Paths are told from the base URL on, which ends in /v1. */
function publicPath({ url, operation }: Endpoint): string {
  const names = Object.keys(operation.path ?? {})
  const path = url.replace(/:\w+|\*/g, () => `{${names.shift()}}`)
  return path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path
}

const outsideBase = (url: string, baseUrl: string) =>
  url.startsWith(`${PREFIX}/`)
    ? {}
    : { servers: [{ url: baseUrl.slice(0, -PREFIX.length) || '/' }] }

function operationObject(
  { body, operation }: Endpoint,
  schemas: SchemaObjects,
  errors: ErrorResponses,
): OperationObject {
  const parameters = [
    ...parametersOf('path', operation.path, schemas),
    ...parametersOf('query', operation.query, schemas),
    ...parametersOf('header', operation.headers, schemas),
  ]
  const { answer } = operation
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(operation.needsKey ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.of(body) } },
          },
        }
      : {}),
    responses: {
      [answer.status ?? 200]: {
        description: answer.description,
        headers: headerRefs(['x-request-id', ...answer.headers]),
        content: Object.fromEntries(
          Object.entries(answer.content).map(([type, schema]) => [
            type,
            { schema: schemas.of(schema) },
          ]),
        ),
      },
      ...errors.of(operation),
    },
  }
}

function parametersOf(
  where: ParameterObject['in'],
  given: Readonly<Record<string, TSchema>> = {},
  schemas: SchemaObjects,
): ParameterObject[] {
  return Object.entries(given).map(([name, { description = '', ...schema }]) => ({
    name,
    in: where,
    required: where === 'path',
    description,
    schema: schemas.of(schema),
  }))
}

function headerComponents(schemas: SchemaObjects): Record<string, HeaderObject> {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, { description = '', ...schema }]) => [
      name,
      {
        description,
        ...(ALWAYS_THERE.has(name as HeaderName) ? { required: true as const } : {}),
        schema: schemas.of(schema),
      },
    ]),
  )
}
