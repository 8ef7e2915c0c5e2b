/**
 * The documentation that the server hands out (HT3): made from the same list, so it cannot be
 * behind.
 */
import { expect, test } from 'vitest'
import { errorCatalogue } from '../../../src/domain/errors.ts'
import type { Route } from '../../../src/protocol/route.ts'
import { routes } from '../../../src/protocol/routes.ts'
import { openTestServer } from '../../support/server.ts'

const list: [operation: string, route: Route][] = Object.entries(routes)

test('[HT3] the OpenAPI document describes every route with its schemas, credentials and refusals', async () => {
  const server = await openTestServer()
  const { json: document } = await server.ask('/api/openapi.json')
  expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '0.0.0-test' } })
  for (const [operationId, route] of list) {
    const operation = document.paths[route.path][route.method.toLowerCase()]
    expect(operation, operationId).toMatchObject({ operationId, summary: route.summary })
    const inPath = operation.parameters
      .filter((each: { in: string }) => each.in === 'path')
      .map((each: { name: string }) => each.name)
    expect(inPath, operationId).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
    expect(operation.requestBody !== undefined, operationId).toBe(
      (route.body ?? route.upload) !== undefined,
    )
    expect(operation.responses[route.status], operationId).toBeDefined()
    expect(operation.responses.default, operationId).toBeDefined()
    if (route.anonymous) expect(operation.security).toEqual([])
    else expect(operation.responses[401], operationId).toBeDefined()
  }
  expect(document.components.schemas.Problem.properties.code.enum).toEqual(
    Object.keys(errorCatalogue),
  )
  const body = document.paths['/api/projects'].post.requestBody
  expect(body.required).toBe(true)
  expect(body.content['application/json'].schema).toMatchObject({
    type: 'object',
    required: ['name'],
    additionalProperties: false,
  })
  expect(
    document.paths['/api/projects/{projectId}/agents/{agentId}'].put.requestBody.required,
  ).toBe(false)
})

test('[HT3] every reference in the document leads somewhere', async () => {
  const server = await openTestServer()
  const { text, json: document } = await server.ask('/api/openapi.json')
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path),
  )
  for (const path of references) {
    const found = path.split('/').reduce((inner, key) => inner?.[key], document)
    expect(found, path).toBeDefined()
  }
})

test('[HT2] [HT3] the page of documentation names every route and every error code, without scripts', async () => {
  const server = await openTestServer()
  const { text } = await server.ask('/api/docs')
  for (const [operation, { path, method }] of list) {
    expect(text).toContain(`<section id="${operation}"`)
    expect(text).toContain(`<b>${method}</b> <code>${path}</code>`)
  }
  for (const code of Object.keys(errorCatalogue))
    expect(text, code).toContain(`<tr id="error-${code}">`)
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/)
  const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? []
  expect((await server.ask(stylesheet)).headers['content-type']).toBe('text/css; charset=utf-8')
})
