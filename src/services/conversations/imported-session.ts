/**
 * Sessions of agents' own that were taken in (IM): their keys, the project and the agent that stand
 * for their folder and their program, and the list of them.
 */
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { threadIdLength, threadKey } from '../../domain/conversations/key.ts'
import { isWithin } from '../../domain/projects/folder.ts'
import { knownAgentOf, knownAgents } from '../../protocol/agents/known-agents.ts'
import type { ImportedSession, PastAgent } from '../../protocol/conversations/past-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { agentsOfProject } from '../../store/agents/agents.ts'
import { selectImportedPage } from '../../store/conversations/imported-sessions.ts'
import { fields } from '../../store/fields.ts'
import { cutPageBy, pageParams } from '../../store/page-cursor.ts'
import { selectProjectsAt } from '../../store/projects/projects.ts'
import { defineQuery, type Reader } from '../../store/store.ts'

interface PastSource {
  /** The account that takes it in. */
  readonly by: string
  readonly agent: PastAgent
  readonly id: string
}

const digestOf = (...parts: readonly string[]): Buffer =>
  createHash('sha256').update(parts.join('\0')).digest()

/** The same for each import, so that one begun twice is one. */
export function keyOfPast({ by, agent, id }: PastSource): string {
  const digits = BigInt(`0x${digestOf(by, agent, id).toString('hex')}`).toString(36)
  return threadKey(digits.slice(0, threadIdLength))
}

/** The id of a turn that was taken in. */
export function idOfPastTurn(key: string, sourceId: string): string {
  const hex = digestOf(key, sourceId).toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}

/** The turn of the session that it was forked from, which is the last that both have. */
export async function originOfFork(
  reader: Reader,
  source: PastSource & { readonly forkOf: string },
  turnIds: readonly string[],
): Promise<{ key: string; turnId: string } | undefined> {
  const key = keyOfPast({ ...source, id: source.forkOf })
  for (const id of turnIds.toReversed()) {
    const turnId = idOfPastTurn(key, id)
    if (await reader.row('turns', { id: turnId })) return { key, turnId }
  }
  return undefined
}

export const nameOfPastAgent = (agent: PastAgent): string =>
  knownAgents.find(({ id }) => id === agent)?.name ?? agent

export interface PastRoute {
  readonly projectId: string | null
  readonly agentId: string | null
  /** Whether that agent can open the session of its own. */
  readonly canResume: boolean
}

const nowhere: PastRoute = { projectId: null, agentId: null, canResume: false }
const maxFolderDepth = 64
const maxAgents = 200

/** Gemini CLI removes a session that is loaded. */
const losesSessions: ReadonlySet<PastAgent> = new Set(['gemini'])

/** The project of a folder: the nearest above it; and its agent that starts the same program. */
export const findPastRoute = defineQuery('find-past-route', {
  scope: 'write',
  on: 'nobody',
  run: async (
    reader,
    { agent, folder }: { readonly agent: PastAgent; readonly folder: string | null },
  ): Promise<PastRoute> => {
    const projectId = folder === null ? undefined : await projectOf(reader, folder)
    return routeTo(reader, projectId ?? null, { agent, folder })
  },
})

/** In a project that is given: an agent's own session is opened where its folder is. */
export async function routeTo(
  reader: Reader,
  projectId: string | null,
  { agent, folder }: { readonly agent: PastAgent; readonly folder: string | null },
): Promise<PastRoute> {
  const project = projectId === null ? undefined : await reader.row('projects', { id: projectId })
  if (!project) return nowhere
  const found = await agentIn(reader, project.id, agent)
  const isThere = project.path !== null && folder !== null && isWithin(project.path, folder)
  return { ...found, projectId: project.id, canResume: found.canResume && isThere }
}

async function projectOf(reader: Reader, folder: string): Promise<string | undefined> {
  let path = folder
  for (let depth = 0; depth < maxFolderDepth; depth++) {
    const [project] = await reader.all(selectProjectsAt, { path })
    if (project) return project.id
    if (dirname(path) === path) return undefined
    path = dirname(path)
  }
  return undefined
}

async function agentIn(
  reader: Reader,
  projectId: string,
  agent: PastAgent,
): Promise<Omit<PastRoute, 'projectId'>> {
  const agents = await agentsOfProject(reader, projectId, maxAgents)
  const same = agents.filter(
    ({ command, args, report }) =>
      knownAgentOf({ command, args, agentInfo: report?.agentInfo })?.id === agent,
  )
  const found = same.find(({ protocol }) => protocol === 'acp') ?? same[0]
  return {
    agentId: found?.id ?? null,
    canResume: found?.protocol === 'acp' && !losesSessions.has(agent),
  }
}

interface NamedSession {
  readonly agent: PastAgent
  readonly id: string
  readonly mark: string
}

/** What is known of some sessions: whether they were taken in, and since then have changed. */
export const findImported = defineQuery('find-imported', {
  scope: 'read',
  on: 'caller',
  run: async (
    reader,
    { by, items }: { readonly by: string; readonly items: readonly NamedSession[] },
  ): Promise<
    { state: 'new' | 'taken' | 'more' | 'deleted' | 'began_here'; key: string | null }[]
  > => {
    const found: Awaited<ReturnType<typeof stateOf>>[] = []
    for (const item of items) found.push(await stateOf(reader, by, item))
    return found
  },
})

async function stateOf(reader: Reader, by: string, { agent, id, mark }: NamedSession) {
  const row = await reader.row('imported_sessions', { account_id: by, agent, source_id: id })
  const began = await reader.row('agent_session_ids', { id })
  if (began && began.conversation_key !== row?.conversation_key)
    return { state: 'began_here' as const, key: null }
  if (!row) return { state: 'new' as const, key: null }
  if (row.state === 'deleted') return { state: 'deleted' as const, key: null }
  return {
    state: row.mark === mark ? ('taken' as const) : ('more' as const),
    key: row.conversation_key,
  }
}

export const listImportedSessions = defineQuery('list-imported-sessions', {
  scope: 'read',
  on: 'caller',
  run: async (
    reader,
    { by, agent, ...page }: PageQuery & { by: string; agent?: PastAgent | undefined },
  ): Promise<Page<ImportedSession>> => {
    const found = await reader.all(selectImportedPage, {
      ...pageParams(page),
      accountId: by,
      agent: agent ?? '',
      ofAny: agent === undefined ? 1 : 0,
    })
    const cut = cutPageBy(found, page.limit, ({ created_at, conversation_key }) => ({
      createdAt: created_at,
      id: conversation_key,
    }))
    return {
      ...cut,
      items: cut.items.map((row) => ({
        ...fields(row, 'agent', 'state', 'mark', 'title'),
        id: row.source_id,
        key: row.conversation_key,
        at: row.updated_at,
      })),
    }
  },
})
