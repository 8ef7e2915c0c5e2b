/** The whole server on PostgreSQL: the same endpoints, the same answers, any number of nodes. */
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { watchEvents } from '../../src/client/event-stream.ts'
import type { HoldfastEvent } from '../../src/protocol/events.ts'
import { openChat } from '../support/chat.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { newPostgresUrl, usePostgres } from '../support/postgres.ts'
import { startHoldfast } from '../support/running-server.ts'

usePostgres()

const token = 'a-token-that-both-nodes-share-0123456789'

const startNode = async (url: string) => {
  const server = await startHoldfast({ env: { DATABASE_URL: url, HOLDFAST_TOKEN: token } })
  return { server, client: createClient({ url: server.url, token }) }
}

test('[CF3] with DATABASE_URL everything is kept in PostgreSQL, also over a kill -9', async () => {
  const url = await newPostgresUrl()
  const first = await startNode(url)
  const project = await first.client.post('/api/projects', {
    body: { name: 'kept', settings: { 'restart.max': 7 } },
  })
  await first.server.kill()
  const second = await startNode(url)
  expect(
    await second.client.get('/api/projects/{projectId}', { params: { projectId: project.id } }),
  ).toEqual(project)
  expect(await second.server.stop()).toBe(0)
})

test('[SC1] two nodes share one PostgreSQL: what one commits, the other’s readers see', async () => {
  const url = await newPostgresUrl()
  const [a, b] = await Promise.all([startNode(url), startNode(url)])
  const seen: HoldfastEvent[] = []
  const made = new Promise<void>((resolve) => {
    const watching = watchEvents(b.client, {
      streams: ['home'],
      onEvent: (event) => {
        seen.push(event)
        if (
          event.type === 'project-created' &&
          'data' in event &&
          event.data.project.name === 'from a'
        ) {
          watching.close()
          resolve()
        }
      },
      onSnapshot: () => {},
      onState: (state) => {
        if (state.state === 'live')
          void a.client.post('/api/projects', { body: { name: 'from a' } })
      },
    })
  })
  await made
  const numbers = seen.map(({ seq }) => seq)
  expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y))
  expect((await b.client.get('/api/projects', {})).items.map(({ name }) => name)).toContain(
    'from a',
  )
  expect(await Promise.all([a.server.stop(), b.server.stop()])).toEqual([0, 0])
})

test('[CF3] the whole product on PostgreSQL: an agent is started and answers, also after a kill -9 of the server', async () => {
  const env = {
    DATABASE_URL: await newPostgresUrl(),
    HOLDFAST_TOKEN: token,
    HOLDFAST_DRAIN_SECONDS: '0',
  }
  const first = await startHoldfast({ up: true, env })
  onTestFinished(() => endCoordinator(first.data))
  const chat = await openChat(first)
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  await first.kill()
  // The agent lives on, and knows the server by its address.
  const args = ['--port', new URL(first.url).port]
  const second = await startHoldfast({ up: true, data: first.data, env, args })
  const later = await openChat(second, chat)
  await later.say('and again')
  expect(await later.answer()).toBe('echo: and again')
  expect(await second.stop()).toBe(0)
})
