/** Finds an item by its id or its unique name. */
import type { Client } from '../client/client.ts'
import type { ErrorCode } from '../domain/errors.ts'
import { nearest } from '../domain/nearest.ts'
import type { Agent } from '../protocol/agents/agent.ts'
import type { Project } from '../protocol/projects/project.ts'
import { notFound, usage } from './failure.ts'

interface Named {
  readonly id: string
  readonly name: string
}

const maxSearched = 10_000

export const findAgent = (client: Client, typed: string): Promise<Agent> =>
  findByName('agent', typed, client.pages('/api/agents'))
export const findProject = (client: Client, typed: string): Promise<Project> =>
  findByName('project', typed, client.pages('/api/projects'))

export async function findByName<Item extends Named>(
  kind: 'project' | 'agent' | 'person' | 'token',
  typed: string,
  all: AsyncGenerator<Item, void, undefined>,
): Promise<Item> {
  const called: Item[] = []
  const words: string[] = []
  for await (const item of all) {
    if (item.id === typed) return item
    if (item.name === typed) called.push(item)
    if (words.push(item.id, item.name) >= maxSearched * 2) break
  }
  const [only, ...others] = called
  if (only && others.length === 0) return only
  if (only) {
    const ids = called.map(({ id }) => id).join(', ')
    throw usage(
      `${called.length} ${plural[kind]} are called ${JSON.stringify(typed)}.`,
      `Name the one you mean by its id: ${ids}.`,
    )
  }
  const close = nearest(typed, words)
  const hint = close ? `Did you mean ${close}? ` : ''
  const code: ErrorCode = kind === 'agent' ? 'agent_not_found' : 'not_found'
  throw notFound(`There is no ${kind} ${JSON.stringify(typed)}.`, `${hint}\`holdfast ${commandOf[kind]}\` lists them.`, code)
}

const plural = { project: 'projects', agent: 'agents', person: 'people', token: 'tokens' } as const
const commandOf = { project: 'projects', agent: 'agents', person: 'people', token: 'token' } as const
