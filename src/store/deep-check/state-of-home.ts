/**
 * Compares the rows of projects, agents, assignments, people and tokens with the events of `home`.
 * It keeps only the number of the event that last described each thing and reads that event again
 * when its row is checked, so memory grows with what exists and not with the log.
 */
import { isDeepStrictEqual } from 'node:util'
import { isTokenKind, ownerId } from '../../domain/access/caller.ts'
import { home } from '../../domain/stream-name.ts'
import type { EventBodies } from '../../protocol/events.ts'
import { personOf } from '../access/credentials.ts'
import { agentOf } from '../agents/agents.ts'
import { pagesOf, rowsPerPage } from '../copy-tables.ts'
import { selectEventsAfter, selectPosition } from '../log/event-log.ts'
import { projectOf } from '../projects/projects.ts'
import type { Tables } from '../schema/tables.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

interface Living {
  /** Number of the event that last described it. */
  readonly projects: Map<string, number>
  readonly agents: Map<string, number>
  readonly people: Map<string, number>
  readonly tokens: Set<string>
  /** By project, the agents that work on it. */
  readonly assignments: Map<string, Set<string>>
}

const apply: {
  [Type in keyof EventBodies]?: (living: Living, body: EventBodies[Type], seq: number) => void
} = {
  'project-created': ({ projects }, { project }, seq) => projects.set(project.id, seq),
  'project-changed': ({ projects }, { project }, seq) => projects.set(project.id, seq),
  'project-deleted': ({ projects, assignments }, { projectId }) => {
    projects.delete(projectId)
    assignments.delete(projectId)
  },
  'agent-created': ({ agents }, { agent }, seq) => agents.set(agent.id, seq),
  'agent-changed': ({ agents }, { agent }, seq) => agents.set(agent.id, seq),
  'agent-deleted': ({ agents, assignments }, { agentId }) => {
    agents.delete(agentId)
    for (const working of assignments.values()) working.delete(agentId)
  },
  'agent-assigned': ({ assignments }, { projectId, agentId }) => {
    assignments.set(projectId, (assignments.get(projectId) ?? new Set()).add(agentId))
  },
  'agent-unassigned': ({ assignments }, { projectId, agentId }) =>
    assignments.get(projectId)?.delete(agentId),
  'person-added': ({ people }, { person }, seq) => people.set(person.id, seq),
  'person-changed': ({ people }, { person }, seq) => people.set(person.id, seq),
  'person-removed': ({ people }, { personId }) => people.delete(personId),
  'token-created': ({ tokens }, { tokenId }) => tokens.add(tokenId),
  'token-revoked': ({ tokens }, { tokenId }) => tokens.delete(tokenId),
}

export async function* stateOfHome(reader: Reader): AsyncGenerator<Finding> {
  const position = await reader.first(selectPosition, { name: home })
  if ((position?.floor ?? 0) > 0) {
    return yield found('home', 'was trimmed, so nothing can say what there must be')
  }
  const living = yield* readHome(reader)
  yield* compare(reader, 'projects', living.projects, differsFromProject)
  yield* compare(reader, 'agents', living.agents, differsFromAgent)
  yield* compare(reader, 'people', living.people, differsFromPerson)
  yield* assignments(reader, living)
  yield* credentials(reader, living)
}

async function* readHome(reader: Reader): AsyncGenerator<Finding, Living> {
  const living: Living = {
    projects: new Map(),
    agents: new Map(),
    people: new Map(),
    tokens: new Set(),
    assignments: new Map(),
  }
  for (let after = 0; ; ) {
    const events = await reader.all(selectEventsAfter, { stream: home, after, limit: rowsPerPage })
    for (const { type, data, seq } of events) {
      try {
        if (data !== null) apply[type as keyof EventBodies]?.(living, bodyOf(data) as never, seq)
      } catch {
        yield found(`home ${seq} (${type})`, 'does not say what such an event says')
      }
    }
    if (events.length < rowsPerPage) return living
    after = events.at(-1)?.seq ?? after
  }
}

type Described = 'projects' | 'agents' | 'people'

/** Compares each row with the event that last described it, and reports things without a row. */
async function* compare<Name extends Described>(
  reader: Reader,
  table: Name,
  described: Map<string, number>,
  difference: (row: Tables[Name], body: Record<string, unknown>) => string | undefined,
): AsyncGenerator<Finding> {
  for await (const page of pagesOf<Described>(reader, table)) {
    const bodies = await bodiesOf(
      reader,
      page.flatMap(({ id }) => described.get(id) ?? []),
    )
    for (const row of page) {
      const seq = described.get(row.id)
      described.delete(row.id)
      const body = seq === undefined ? undefined : bodies.get(seq)
      if (!body) yield found(`${table} ${row.id}`, 'is there; the events say it is not')
      else {
        const what = difference(row as Tables[Name], body)
        if (what) yield found(`${table} ${row.id}`, `has another ${what} than home ${seq} says`)
      }
    }
  }
  for (const [id, seq] of described)
    yield found(`${table} ${id}`, `is not there; home ${seq} says it is`)
}

async function bodiesOf(
  reader: Reader,
  seqs: readonly number[],
): Promise<Map<number, Record<string, unknown>>> {
  if (seqs.length === 0) return new Map()
  const events = await reader.query((db) =>
    db
      .selectFrom('events')
      .select(['seq', 'data'])
      .where('stream', '=', home)
      .where('seq', 'in', seqs),
  )
  return new Map(events.map(({ seq, data }) => [seq, bodyOf(data ?? '')]))
}

/** Parses an event's body. The stream check reports unreadable ones. */
function bodyOf(data: string): Record<string, Record<string, unknown>> {
  try {
    return JSON.parse(data)
  } catch {
    return {}
  }
}

type Thing = Readonly<Record<string, unknown>>

/**
 * Finds the first field that differs. Fields that were added after the event was written are not
 * compared.
 */
const firstDifference = (row: Thing, body: Thing, ...leaveOut: string[]): string | undefined =>
  Object.keys(row)
    .filter((name) => (name === 'id' || name in body) && !leaveOut.includes(name))
    .find((name) => !isDeepStrictEqual(row[name], body[name]))

function differsFromProject(row: Tables['projects'], body: Thing): string | undefined {
  const described = (body['project'] ?? {}) as Thing
  const settings = (described['settings'] ?? {}) as Thing
  const chosen = JSON.parse(row.settings) as Thing
  // Only chosen settings: defaults may have changed since the event was written.
  const setting = Object.keys(chosen).find((key) => !isDeepStrictEqual(chosen[key], settings[key]))
  return (
    firstDifference(projectOf(row, []) as unknown as Thing, described, 'settings', 'agentIds') ??
    (setting && `setting ${setting}`)
  )
}

/** What an event of an earlier build does not say is allowed: nothing. */
const nothingAllowed = { folders: [], hosts: [], state: [] }

function differsFromAgent(row: Tables['agents'], body: Thing): string | undefined {
  const described = (body['agent'] ?? {}) as Thing
  const whole =
    'allow' in described
      ? { ...described, allow: { ...nothingAllowed, ...(described['allow'] as Thing) } }
      : described
  return firstDifference(agentOf(row, []) as unknown as Thing, whole, 'projectIds')
}

const differsFromPerson = (row: Tables['people'], body: Thing): string | undefined =>
  firstDifference(personOf(row) as unknown as Thing, (body['person'] ?? {}) as Thing)

async function* assignments(reader: Reader, living: Living): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'assignments')) {
    for (const { project_id, agent_id } of page) {
      if (living.assignments.get(project_id)?.delete(agent_id)) continue
      yield found(`assignments ${project_id} ${agent_id}`, 'is there; the events say it is not')
    }
  }
  for (const [projectId, agentIds] of living.assignments) {
    for (const agentId of agentIds)
      yield found(`assignments ${projectId} ${agentId}`, 'is not there; the events say it is')
  }
}

/** Compares the credentials that exist. Expired ones are deleted without an event. */
async function* credentials(reader: Reader, living: Living): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'credentials')) {
    const persons = await reader.query((db) =>
      db
        .selectFrom('people')
        .select('id')
        .where('id', 'in', [...new Set(page.map(({ person_id }) => person_id))]),
    )
    const accounts = new Set([ownerId, ...persons.map(({ id }) => id)])
    for (const { id, kind, person_id } of page) {
      if (!accounts.has(person_id))
        yield found(`credentials ${id}`, `is of person ${person_id}, who is not there`)
      if (isTokenKind(kind) && !living.tokens.has(id))
        yield found(`credentials ${id}`, 'is there; the events say it is not')
    }
  }
}

const found = (where: string, what: string): Finding => ({ check: 'state', where, what })
