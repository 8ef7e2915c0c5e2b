import { expect, expectTypeOf, test } from 'vitest'
import { createClient, ProblemError, UnreachableError } from '../../src/client/client.ts'
import { Refusal } from '../../src/domain/errors.ts'
import { problemOf } from '../../src/protocol/problem.ts'
import type { Project } from '../../src/protocol/projects/project.ts'
import { answering, json } from '../support/answering.ts'
import { openTestServer } from '../support/server.ts'

/** Waits as it would, but in no time: what is waited for is written down. */
const impatientClock = () => {
  const waits: number[] = []
  const after = (ms: number, callback: () => void) => {
    waits.push(ms)
    queueMicrotask(callback)
    return () => {}
  }
  return { waits, clock: { now: () => 0, after } }
}

const busy = problemOf(new Refusal('busy'))

test('[LB1] a call is typed by the route list: input, output and paths', async () => {
  const { url, ownerToken } = await openTestServer()
  const client = createClient({ url, token: ownerToken })
  const made = await client.post('/api/projects', { body: { name: 'one' } })
  expectTypeOf(made).toEqualTypeOf<Project>()
  expect(await client.get('/api/projects/{projectId}', { params: { projectId: made.id } })).toEqual(
    made,
  )
  // @ts-expect-error there is no such path
  await expect(client.get('/api/nothing')).rejects.toThrow(ProblemError)
  // @ts-expect-error the body lacks its name
  await expect(client.post('/api/projects', { body: {} })).rejects.toThrow(ProblemError)
  // @ts-expect-error the parameter is missing
  await expect(client.get('/api/projects/{projectId}')).rejects.toThrow(ProblemError)
})

test('[LB1] a refusal is thrown with the problem the server sent', async () => {
  const { url, ownerToken } = await openTestServer()
  const client = createClient({ url, token: ownerToken })
  const error = await client
    .get('/api/agents/{agentId}', { params: { agentId: 'nobody' } })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ProblemError)
  expect(error.problem).toMatchObject({ code: 'agent_not_found', status: 404 })
})

test('[LB1] lists are read page by page, every item once', async () => {
  const { url, ownerToken, clock } = await openTestServer()
  const client = createClient({ url, token: ownerToken })
  for (let count = 1; count <= 5; count++) {
    clock.advance(1)
    await client.post('/api/projects', { body: { name: `project ${count}` } })
  }
  const names: string[] = []
  for await (const project of client.pages('/api/projects', { query: { limit: 2 } }))
    names.push(project.name)
  expect(names).toEqual(['project 5', 'project 4', 'project 3', 'project 2', 'project 1'])
})

test('[HT4] a write whose answer was lost is sent again with the same key, done once', async () => {
  const server = await openTestServer()
  let lost = 0
  const loseTheFirst: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method === 'POST' && lost++ === 0) throw new TypeError('the connection broke')
    return response
  }
  const client = createClient({
    url: server.url,
    token: server.ownerToken,
    fetch: loseTheFirst,
    clock: impatientClock().clock,
  })
  const project = await client.post('/api/projects', { body: { name: 'once' } })
  expect(lost).toBe(2)
  expect((await client.get('/api/projects')).items).toEqual([project])
})

test('[LB1] a server that is away is tried a bounded number of times, then thrown', async () => {
  const { url, requests } = await answering((_, response) => json(response, 503, busy))
  const { clock, waits } = impatientClock()
  const client = createClient({ url, clock, random: () => 1 })
  await expect(client.post('/api/projects', { body: { name: 'x' } })).rejects.toMatchObject({
    problem: { code: 'busy' },
  })
  expect(waits).toEqual([150, 300])
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(requests).toHaveLength(3)
})

test('[LB1] a server that says when to come back is asked then, or not at all', async () => {
  const { clock, waits } = impatientClock()
  const soon = await answering((_, response, count) =>
    count === 1
      ? json(response, 503, busy, { 'retry-after': '2' })
      : json(response, 200, { items: [], nextCursor: null }),
  )
  await createClient({ url: soon.url, clock }).get('/api/projects')
  expect(waits).toEqual([2000])
  const late = await answering((_, response) => json(response, 503, busy, { 'retry-after': '60' }))
  await expect(createClient({ url: late.url, clock }).get('/api/projects')).rejects.toThrow(
    ProblemError,
  )
  expect(late.requests).toHaveLength(1)
})

test('[LB1] a refusal that will stay one is not tried again', async () => {
  const { url, requests } = await answering((_, response) =>
    json(response, 422, problemOf(new Refusal('invalid_name'))),
  )
  await expect(
    createClient({ url }).post('/api/projects', { body: { name: 'x' } }),
  ).rejects.toThrow(ProblemError)
  expect(requests).toHaveLength(1)
})

test('[LB1] no answer within the time is a failure of its own', async () => {
  const { url, requests } = await answering(() => {})
  const error = await createClient({ url })
    .get('/api/me', { timeoutMs: 30 })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UnreachableError)
  expect(error.reason).toBe('timeout')
  // Not tried again; on a busy machine it may not even have arrived.
  expect(requests.length).toBeLessThanOrEqual(1)
})

test('[LB1] whoever asked may take it back, also while it waits to try again', async () => {
  const { url } = await answering((_, response) => json(response, 503, busy))
  const taken = new AbortController()
  const takeBack = () => {
    queueMicrotask(() => taken.abort(new Error('changed my mind')))
    return () => {}
  }
  const client = createClient({ url, clock: { now: () => 0, after: takeBack } })
  await expect(client.get('/api/me', { signal: taken.signal })).rejects.toThrow('changed my mind')
})

test('[LB1] something else that answers there is not taken for Holdfast', async () => {
  const page = await answering(
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  )
  await expect(createClient({ url: page.url }).get('/api/me')).rejects.toMatchObject({
    reason: 'foreign',
  })
  const broken = await answering((_, response) => void response.writeHead(500).end('Oops'))
  await expect(createClient({ url: broken.url }).get('/api/me')).rejects.toMatchObject({
    reason: 'foreign',
  })
})

test('[LB1] [SC3] a balancer with nobody behind it is asked again, and then believed', async () => {
  const { clock } = impatientClock()
  let answers = [502, 504]
  const { url, requests } = await answering((_, response) => {
    const status = answers.shift()
    if (status) response.writeHead(status).end('Bad gateway')
    else json(response, 200, { id: 'x' })
  })
  await createClient({ url, clock }).post('/api/projects', { body: { name: 'again' } })
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(requests).toHaveLength(3)
  answers = [503, 503, 503]
  await expect(createClient({ url, clock }).get('/api/me')).rejects.toMatchObject({
    reason: 'network',
  })
})

test('[SE1] the credential goes into its header and never along a redirect', async () => {
  const elsewhere = await answering((_, response) => json(response, 200, {}))
  const { url, requests } = await answering(
    (_, response) => void response.writeHead(307, { location: `${elsewhere.url}/api/me` }).end(),
  )
  await expect(
    createClient({ url, token: 'hf_test_secret', clock: impatientClock().clock }).get('/api/me'),
  ).rejects.toThrow(UnreachableError)
  expect(requests[0]?.headers.authorization).toBe('Bearer hf_test_secret')
  expect(requests[0]?.url).toBe('/api/me')
  expect(elsewhere.requests).toEqual([])
})

test('[SE9] an id made of dots or slashes never becomes another path', async () => {
  const { url, requests } = await answering((_, response) =>
    json(response, 404, problemOf(new Refusal('not_found'))),
  )
  const client = createClient({ url })
  for (const projectId of ['.', '..', '']) {
    await expect(
      client.get('/api/projects/{projectId}', { params: { projectId } }),
    ).rejects.toMatchObject({
      problem: { code: 'not_found' },
    })
  }
  expect(requests).toEqual([])
  await expect(
    client.get('/api/projects/{projectId}', { params: { projectId: '../agents?x#y' } }),
  ).rejects.toThrow(ProblemError)
  expect(requests[0]?.url).toBe('/api/projects/..%2Fagents%3Fx%23y')
})
