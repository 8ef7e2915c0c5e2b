/**
 * A person in a chat with an agent, the demo unless told otherwise, which a coordinator starts:
 * says something, waits for the answer, sees its processes.
 */
import { onTestFinished } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { watchEvents } from '../../src/client/event-stream.ts'
import type { Process } from '../../src/protocol/processes/process.ts'
import type { RunningHoldfast } from './running-server.ts'

let made = 0

export interface Chat {
  readonly projectId: string
  readonly agentId: string
  readonly client: Client
  /** Opens the panel: the agent is started unless it is there. */
  open(): Promise<void>
  say(content: string): Promise<void>
  /** The next answer, in order. */
  answer(): Promise<string>
  /** Everything it has answered so far. */
  readonly answers: readonly string[]
  /** Waits until there is one in this state, and gives it with its number. */
  process(state: Process['state']): Promise<Process>
  processes(): Promise<readonly Process[]>
}

/** Who is spoken with, as its entry says it. */
export interface Talker {
  readonly protocol: 'mcp' | 'acp'
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const demos = {
  mcp: { protocol: 'mcp', command: 'holdfast', args: ['demo-mcp', '--stay'] },
  acp: { protocol: 'acp', command: 'holdfast', args: ['demo-acp'] },
} as const satisfies Readonly<Record<string, Talker>>

/**
 * With a new project and an agent of its own; pass the chat of before to go on with it at another
 * server.
 */
export async function openChat(
  { url, token }: Pick<RunningHoldfast, 'url' | 'token'>,
  before?: Chat,
  talker: Talker = demos.mcp,
): Promise<Chat> {
  const client = createClient({ url, token })
  const projectId =
    before?.projectId ?? (await client.post('/api/projects', { body: { name: 'talk' } })).id
  const agentId = before?.agentId ?? `talker-${++made}`
  if (!before) {
    const { args, env = {}, ...rest } = talker
    await client.post('/api/agents', {
      body: { id: agentId, name: 'Talker', ...rest, args: [...args], env: { ...env } },
    })
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId },
      body: {},
    })
  }
  const answers: string[] = []
  let taken = 0
  let changed = (): void => {}
  const feed = watchEvents(client, {
    streams: [`conversation:web:${projectId}.${agentId}`, `project:${projectId}`],
    onEvent: (event) => {
      const { message } = ('data' in event ? event.data : {}) as {
        message?: { senderId: string; content: string }
      }
      if (message?.senderId === agentId) answers.push(message.content)
      changed()
    },
    onSnapshot: () => changed(),
    onState: () => {},
  })
  onTestFinished(() => feed.close())
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve
    })
  const processes = async () => (await client.get('/api/processes', { query: { projectId } })).items
  return {
    projectId,
    agentId,
    client,
    answers,
    processes,
    async open() {
      await client.post('/api/projects/{projectId}/chat/start', {
        params: { projectId },
        query: { agentId },
      })
    },
    async say(content) {
      await client.post('/api/chat', { body: { projectId, toAgentId: agentId, content } })
    },
    async answer() {
      while (answers.length <= taken) await next()
      return answers[taken++] ?? ''
    },
    async process(state) {
      for (;;) {
        const event = next()
        const found = (await processes()).find((each) => each.state === state)
        if (found) return found
        await event
      }
    },
  }
}
