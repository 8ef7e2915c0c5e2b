/**
 * Conversations that a test writes in: the first sessions of agents that are prompted or pull, and
 * sessions that were begun, each with a lane of its own.
 */
import type { Client } from '../../src/client/client.ts'
import { webKey } from '../../src/domain/conversations/key.ts'
import { eventually } from './eventually.ts'

const firstSessions = { talker: 'talker', puller: 'puller' } as const
const begun = { one: 'talker', other: 'talker', pulled: 'puller' } as const

/** Their names, each with its agent. */
export const talks = Object.entries({ ...firstSessions, ...begun })

export class Talks {
  readonly #client: () => Client
  readonly #keys = new Map<string, string>()
  #projectId = ''

  /** The client of the server that runs. */
  constructor(client: () => Client) {
    this.#client = client
  }

  get keys(): string[] {
    return [...this.#keys.values()]
  }

  /** Every agent has answered once when this is over. */
  async begin(projectId: string): Promise<void> {
    const client = this.#client()
    this.#projectId = projectId
    for (const agentId of Object.values(firstSessions)) {
      const query = { agentId }
      await client.post('/api/projects/{projectId}/chat/start', { params: { projectId }, query })
      this.#keys.set(agentId, webKey(projectId, agentId))
    }
    for (const [name, agentId] of Object.entries(begun)) {
      const request = { params: { projectId }, body: { agentId, title: name } }
      const { key } = await client.post('/api/projects/{projectId}/conversations', request)
      this.#keys.set(name, key)
    }
    for (const [name] of talks) {
      await this.say(name, 'hello.')
      const hasAnswered = async () =>
        (await this.answers(name, 'hello.')).length > 0 ? true : undefined
      await eventually(`the first answer in ${name}`, hasAnswered)
    }
  }

  async say(name: string, content: string): Promise<void> {
    const body = { projectId: this.#projectId, conversationKey: this.#keyOf(name), content }
    await this.#client().post('/api/chat', { body })
  }

  async answers(name: string, word: string): Promise<string[]> {
    const request = { params: { key: this.#keyOf(name) }, query: { limit: 100 } }
    const { items } = await this.#client().get('/api/conversations/{key}/messages', request)
    return items
      .filter(({ role, content }) => role === 'assistant' && content.endsWith(word))
      .map(({ content }) => content)
  }

  #keyOf(name: string): string {
    return this.#keys.get(name) ?? ''
  }
}
