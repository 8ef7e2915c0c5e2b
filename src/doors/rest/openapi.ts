/** Generates the OpenAPI 3.1 document (HT3) from the schemas that validate requests. Pure. */
import * as z from 'zod'
import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts'
import type { Route } from '../../protocol/route.ts'
import { routes } from '../../protocol/routes.ts'
import { anyBytes } from '../../protocol/work/artifact.ts'
import type { Scopes } from './handler.ts'

type Json = Readonly<Record<string, unknown>>

function openApiDocument(
  list: Readonly<Record<string, Route>>,
  version: string,
  scopes: Scopes,
): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [operation, route] of Object.entries(list)) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(operation, route, scopes[operation] ?? 'anybody'),
    }
  }
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Holdfast',
      version,
      description:
        'The session server for AI agents. Live changes: `GET /api/events`, or the WebSocket `/ws`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'holdfast_…',
          description: 'From `POST /api/login`; its name ends with the id of the store.',
        },
      },
      schemas: { Problem: problemSchema },
      responses: {
        Problem: { description: 'Refused; nothing was changed', content: problemContent },
      },
    },
  }
}

let text: string | undefined

/** Returns the document of the product's routes, generated on first use. */
export function openApiText(version: string, scopes: Scopes): string {
  text ??= JSON.stringify(openApiDocument(routes, version, scopes))
  return text
}

/** Converts a zod schema to JSON Schema for requests (`input`) or answers (`output`). */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const {
    $schema: _,
    '~standard': __,
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>
  return rest
}

const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'next'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    next: { type: 'string', description: 'What the reader can do now' },
  },
}

const problemContent: Json = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
}

function operationOf(operationId: string, route: Route, scope: string): Json {
  return {
    operationId,
    summary: route.summary,
    ...(route.anonymous ? { security: [] } : { 'x-scope': scope }),
    parameters: [
      ...parametersOf('path', route.params),
      ...parametersOf('query', route.query),
      ...headersOf(route),
    ],
    ...(route.upload && { requestBody: uploadBody }),
    ...(route.body && { requestBody: bodyOf(route.body) }),
    responses: responsesOf(route),
  }
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Json
    required?: string[]
  }
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: each,
  }))
}

function headersOf(route: Route): Json[] {
  if (route.method === 'GET' || route.anonymous) return []
  const description = 'Repeated within 7 days, the same answer and nothing done twice'
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description,
      schema: { type: 'string', minLength: 1, maxLength: 200 },
    },
  ]
}

const bodyOf = (schema: z.ZodType): Json => ({
  required: !schema.safeParse(undefined).success,
  content: { 'application/json': { schema: schemaOf(schema, 'input') } },
})

/** OpenAPI 3.1: a missing schema means bytes. */
const uploadBody: Json = { required: true, content: { [anyBytes]: {} } }

function responsesOf(route: Route): Json {
  const { answer, media, status, alsoStatus } = route
  const other = media && {
    [media.split(';', 1)[0] ?? media]: { schema: { type: 'string' } },
  }
  const content = answer ? { 'application/json': { schema: schemaOf(answer, 'output') } } : other
  const success = {
    description: status === 204 ? 'Done' : 'The answer',
    ...(content ? { content } : {}),
  }
  const refusals = refusalStatuses(route).map((each) => [
    each,
    { $ref: '#/components/responses/Problem' },
  ])
  return {
    [status]: success,
    ...(alsoStatus ? { [alsoStatus]: success } : {}),
    ...Object.fromEntries(refusals),
  }
}

/**
 * Lists the statuses a route can refuse with because of its checks; refusals of its service are
 * covered by `default`.
 */
function refusalStatuses(route: Route): (number | 'default')[] {
  const codes: ErrorCode[] = ['forbidden_host']
  if (!route.anonymous) codes.push('unauthenticated')
  if (route.params || route.query || route.body) codes.push('invalid_request')
  if (route.params) codes.push('not_found')
  if (route.body) codes.push('too_large', 'unsupported_media_type')
  if (route.upload) codes.push('too_large')
  if (route.path === '/api/login') codes.push('authentication_failed', 'rate_limited')
  if (route.method !== 'GET' && !route.anonymous) codes.push('idempotency_key_reused')
  const statuses = new Set(codes.map((code) => errorCatalogue[code].status as number))
  return [...[...statuses].sort((a, b) => a - b), 'default']
}
