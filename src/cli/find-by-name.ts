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

/** What several of a kind are called, and the command that lists them. */
const kinds = {
  project: ['projects', 'projects'],
  agent: ['agents', 'agents'],
  person: ['people', 'people'],
  token: ['tokens', 'token'],
  device: ['devices', 'devices'],
  chat: ['chats', 'channels'],
  worktree: ['worktrees', 'worktrees'],
  machine: ['machines', 'coordinators'],
} as const

export const findAgent = (client: Client, typed: string): Promise<Agent> =>
  findByName('agent', typed, client.pages('/api/agents'))
export const findProject = (client: Client, typed: string): Promise<Project> =>
  findByName('project', typed, client.pages('/api/projects'))

export const findByName = <Item extends Named>(
  kind: keyof typeof kinds,
  typed: string,
  all: AsyncIterable<Item>,
): Promise<Item> => findOne(kind, typed, all, ({ id, name }) => [[id], [name]])

/**
 * `of` returns the unique words for an item, its id first, and its names, which others may have
 * too.
 */
export async function findOne<Item>(
  kind: keyof typeof kinds,
  typed: string,
  all: AsyncIterable<Item> | Iterable<Item>,
  of: (item: Item) => readonly [ids: readonly (string | null)[], names: readonly (string | null)[]],
): Promise<Item> {
  const called: Item[] = []
  const words: (string | null)[] = []
  for await (const item of all) {
    const [ids, names] = of(item)
    if (ids.includes(typed)) return item
    if (names.includes(typed)) called.push(item)
    if (words.push(...ids, ...names) >= maxSearched * 2) break
  }
  const [only, ...others] = called
  if (only && others.length === 0) return only
  const [plural, command] = kinds[kind]
  if (only) {
    const ids = called.map((item) => of(item)[0][0]).join(', ')
    throw usage(
      `${called.length} ${plural} are called ${JSON.stringify(typed)}.`,
      `Name the one you mean by its id: ${ids}.`,
    )
  }
  const close = nearest(
    typed,
    words.filter((word) => word !== null),
  )
  const hint = close ? `Did you mean ${close}? ` : ''
  const code: ErrorCode = kind === 'agent' ? 'agent_not_found' : 'not_found'
  throw notFound(
    `There is no ${kind} ${JSON.stringify(typed)}.`,
    `${hint}\`holdfast ${command}\` lists them.`,
    code,
  )
}
