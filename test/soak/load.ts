/**
 * A day's work of several people, over and over: chats with both demo agents, consoles that are
 * opened and closed, tasks, approvals, work sessions, followers that come and go, searches. Each
 * worker does one thing after the other until it is told to stop, and whatever is not answered as
 * it should be is a failure.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../src/client/client.ts'
import { watchEvents } from '../../src/client/event-stream.ts'
import { openRelay } from '../../src/client/relay.ts'

export interface Place {
  readonly url: string
  readonly token: string
}

export interface Load {
  readonly done: Readonly<Record<string, number>>
  readonly failures: readonly string[]
  stop(): Promise<void>
}

/** Between two rounds of one worker: people, not a benchmark. */
const restMs = 400
const answerWithinMs = 60_000
const lookEveryMs = 100
const mostFailures = 50
const messagesInAChat = 8
const followers = 12

type Round = (client: Client, projectId: string, round: number) => Promise<void>

export function startLoad(place: Place, projectId: string): Load {
  const done: Record<string, number> = {}
  const failures: string[] = []
  const client = createClient(place)
  let running = true
  const work = async (name: string, round: Round): Promise<void> => {
    for (let n = 0; running; n++) {
      try {
        await round(client, projectId, n)
        done[name] = (done[name] ?? 0) + 1
      } catch (error) {
        if (failures.length < mostFailures)
          failures.push(`${name} ${n}: ${error instanceof Error ? error.message : String(error)}`)
      }
      await sleep(restMs)
    }
  }
  const workers = [
    work('chats with an agent that pulls', chatWith('demo-mcp')),
    work('chats with an agent that is spoken to', chatWith('demo')),
    work('consoles', openConsole(place)),
    work('tasks', task),
    work('approvals', approval),
    work('work sessions', workSession),
    ...Array.from({ length: followers }, () => work('followers', follow)),
    work('searches', search),
  ]
  return {
    done,
    failures,
    async stop() {
      running = false
      await Promise.all(workers)
    },
  }
}

async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + answerWithinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline)
      throw new Error(`${what}: nothing within ${answerWithinMs} ms`)
    await sleep(lookEveryMs)
  }
}

/**
 * Some messages, each answered; then the chat is closed, so that the next round starts a process.
 */
const chatWith =
  (agentId: string): Round =>
  async (client, projectId, round) => {
    const params = { projectId, agentId }
    for (let n = 0; n < messagesInAChat; n++) {
      const { seq } = await client.post('/api/chat', {
        body: { projectId, toAgentId: agentId, content: `round ${round}, message ${n} 承認` },
      })
      await until('an answer', async () => {
        const { items } = await client.get('/api/projects/{projectId}/agents/{agentId}/messages', {
          params,
          query: { limit: 5 },
        })
        return items.find((message) => message.senderId === agentId && message.seq > seq)
      })
    }
    await client.post('/api/projects/{projectId}/agents/{agentId}/chat/end', { params })
  }

const openConsole =
  (place: Place): Round =>
  async (_client, projectId) => {
    const relay = openRelay(place)
    try {
      const userSessionId = await relay.create(projectId)
      const seen = Promise.withResolvers<void>()
      const unfollow = relay.follow({
        userSessionId,
        lastSeq: 0,
        onEvent: (event) => {
          if (event.type === 'agent:ready') {
            void relay.request({
              type: 'agent:message',
              ['sessionId']: userSessionId,
              role: 'soak',
              content: 'hello',
            })
          }
          if (event.type === 'agent:response') seen.resolve()
          if (event.type === 'agent:failed') seen.reject(new Error('the agent failed'))
        },
        onSnapshot: () => {},
      })
      await relay.request({
        type: 'agent:spawn',
        ['sessionId']: userSessionId,
        role: 'soak',
        agentId: 'demo',
      })
      await Promise.race([
        seen.promise,
        sleep(answerWithinMs).then(() => Promise.reject(new Error('no answer in a console'))),
      ])
      await relay.request({ type: 'session:terminate', ['sessionId']: userSessionId })
      unfollow()
    } finally {
      relay.close()
    }
  }

const task: Round = async (client, projectId, round) => {
  const params = { projectId }
  const body = { phase: 1, type: 'code', title: `Task ${round}` }
  const { id: taskId } = await client.post('/api/projects/{projectId}/tasks', { params, body })
  for (const status of ['in_progress', 'completed'] as const) {
    await client.patch('/api/projects/{projectId}/tasks/{taskId}', {
      params: { projectId, taskId },
      body: { status },
    })
  }
}

const approval: Round = async (client, projectId, round) => {
  const params = { projectId }
  const body = { checkpointType: 'plan', leaderId: 'soak', instructionContent: `May I, ${round}?` }
  const { id } = await client.post('/api/projects/{projectId}/approvals', { params, body })
  const decision = '/api/projects/{projectId}/approvals/{approvalId}/decision'
  await client.post(decision, {
    params: { projectId, approvalId: String(id) },
    body: { status: 'approved' },
  })
}

/** A work session of its own: begun, with a checkpoint in the files, and ended. */
const workSession: Round = async (client, projectId, round) => {
  const { id: workSessionId } = await client.post('/api/projects/{projectId}/sessions', {
    params: { projectId },
    body: {},
  })
  const params = { projectId, workSessionId }
  await client.post('/api/projects/{projectId}/sessions/{workSessionId}/checkpoint', {
    params,
    body: { contextSummary: `Half of it, ${round}` },
  })
  await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', { params, body: {} })
}

/** A page that is opened, looked at for a moment, and closed. */
const follow: Round = async (client, projectId) => {
  const live = Promise.withResolvers<void>()
  const watch = watchEvents(client, {
    streams: ['home', `project:${projectId}`],
    onEvent: () => live.resolve(),
    onSnapshot: () => live.resolve(),
    onState: () => {},
  })
  try {
    await Promise.race([
      live.promise,
      sleep(answerWithinMs).then(() => Promise.reject(new Error('a follower heard nothing'))),
    ])
    await sleep(1000 + Math.random() * 10_000)
  } finally {
    watch.close()
  }
}

const search: Round = async (client) => {
  await client.get('/api/search', { query: { q: '承認', limit: 20 } })
  await client.get('/api/conversations', { query: { limit: 20 } })
  await client.get('/api/processes', { query: { limit: 20 } })
}
