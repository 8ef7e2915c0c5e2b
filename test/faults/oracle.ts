/**
 * The one oracle of the fault bench. Every acknowledged write is there exactly once with the same
 * bytes; one that was refused left nothing; one that was never answered is there whole or not at
 * all; streams are dense 1..head; state is what the events say. It knows the product's tables and
 * events, and nothing of how a fault was made.
 */
import { isDeepStrictEqual } from 'node:util'
import { hashSecret } from '../../src/platform/secrets/secrets.ts'
import { personOf } from '../../src/store/access/credentials.ts'
import { agentOf } from '../../src/store/agents/agents.ts'
import { projectOf } from '../../src/store/projects/projects.ts'
import type { Tables } from '../../src/store/schema/tables.ts'
import { keyedEnd, type Ledger, markOfAttempt, markOfEvent } from './ledger.ts'
import { applyEvent, emptyState, type State } from './state-of-events.ts'
import type { Stored } from './stored.ts'

export interface Findings {
  readonly lost: string[]
  readonly doubled: string[]
  readonly reordered: string[]
  /**
   * Not whole: holes, half a write, state that is not what the events say, an engine that finds its
   * file damaged.
   */
  readonly torn: string[]
}

export const noFindings = (): Findings => ({ lost: [], doubled: [], reordered: [], torn: [] })

const kinds = ['lost', 'doubled', 'reordered', 'torn'] as const

/** How many findings a whole test has, and the first one in words. */
export interface Tally extends Record<(typeof kinds)[number], number> {
  first?: string
}

export const newTally = (): Tally => ({ lost: 0, doubled: 0, reordered: 0, torn: 0 })

export function addTo(tally: Tally, findings: Findings, where: string): void {
  for (const kind of kinds) {
    tally[kind] += findings[kind].length
    const [text] = findings[kind]
    if (text) tally.first ??= `${where}: ${text}`
  }
}

/**
 * Says on stderr how far a long test is: each `every` points, and at once when something is found.
 */
export function saysProgress(what: string, every = 20): (tally: Tally) => void {
  let [points, found] = [0, 0]
  return (tally) => {
    points++
    const now = tally.lost + tally.doubled + tally.reordered + tally.torn
    if (now > found) process.stderr.write(`${what}: ${points} points, found: ${tally.first}\n`)
    else if (points % every === 0) process.stderr.write(`${what}: ${points} points\n`)
    found = now
  }
}

export const isClean = ({ lost, doubled, reordered, torn }: Tally): boolean =>
  lost + doubled + reordered + torn === 0

type Event = Tables['events']
type Acknowledgements = Pick<Ledger, 'acknowledged' | 'refused' | 'violations'>

/**
 * `exact`: the answer's own text is in the event. Over HTTP the answer was written anew, so there
 * only its content counts. `alone`: nothing but the load wrote; with others (agents, chats) their
 * events are passed over, and only the streams must be dense.
 */
export function judge(
  stored: Stored,
  ledger: Acknowledgements,
  exact = true,
  alone = true,
): Findings {
  const findings = noFindings()
  findings.torn.push(...ledger.violations)
  checkStreams(stored, findings)
  const { state, byMark } = readHome(stored, alone, findings)
  checkCopies(stored, alone, findings)
  checkAcknowledged(stored, ledger, byMark, exact, findings)
  checkRefused(stored, ledger, byMark, findings)
  if (exact) checkReceipts(stored, findings)
  checkState(stored, state, findings)
  return findings
}

/**
 * What is being said is in a stream of its own, whose beginning goes when it is said whole (CH12).
 * Nothing else may be trimmed here.
 */
const isTrimmed = (name: string): boolean => name.startsWith('turns:')

function checkStreams({ streams, events }: Stored, { torn }: Findings): void {
  const floors = new Map(
    streams.filter(({ name }) => isTrimmed(name)).map(({ name, floor }) => [name as string, floor]),
  )
  const heads = new Map<string, number>()
  for (const { stream, seq } of events) {
    const expected = (heads.get(stream) ?? floors.get(stream) ?? 0) + 1
    if (seq !== expected) torn.push(`${stream} has ${seq} where ${expected} must be`)
    heads.set(stream, seq)
  }
  for (const { name, head, floor } of streams) {
    const last = heads.get(name) ?? floors.get(name) ?? 0
    if (head !== last) torn.push(`${name} says its head is ${head}, its last event is ${last}`)
    if (floor !== 0 && !isTrimmed(name))
      torn.push(`${name} says events up to ${floor} were trimmed`)
    heads.delete(name)
  }
  for (const name of heads.keys()) torn.push(`${name} has events and no row`)
}

type ByMark = ReadonlyMap<string, readonly Event[]>

function readHome(
  { events }: Stored,
  alone: boolean,
  { torn }: Findings,
): { state: State; byMark: ByMark } {
  const state = emptyState()
  const byMark = new Map<string, Event[]>()
  for (const event of events) {
    if (event.ref_stream !== null) continue
    if (event.stream !== 'home' || event.data === null) {
      if (alone) torn.push(`${event.stream} ${event.seq} (${event.type}) has no place in this load`)
      continue
    }
    const body = JSON.parse(event.data)
    if (!applyEvent(state, event.type, body) && alone)
      torn.push(`home ${event.seq} has the type ${event.type}`)
    const mark = markOfEvent(event.type, body)
    byMark.set(mark, [...(byMark.get(mark) ?? []), event])
  }
  return { state, byMark }
}

/** What changes one project is copied into its stream, once and in order. */
function checkCopies(
  { events }: Stored,
  alone: boolean,
  { torn, doubled, reordered }: Findings,
): void {
  const copies = new Map<number, Event>()
  let last: Event | undefined
  for (const event of events) {
    if (event.ref_stream === null) continue
    if (event.ref_stream !== 'home' || event.ref_seq === null) {
      if (alone)
        torn.push(`${event.stream} ${event.seq} stands for ${event.ref_stream} ${event.ref_seq}`)
      continue
    }
    if (copies.has(event.ref_seq)) doubled.push(`home ${event.ref_seq} has two copies`)
    if (last?.stream === event.stream && (last.ref_seq ?? 0) >= event.ref_seq) {
      reordered.push(
        `${event.stream} ${event.seq} stands for home ${event.ref_seq}, after ${last.ref_seq}`,
      )
    }
    copies.set(event.ref_seq, event)
    last = event
  }
  for (const event of events) {
    if (event.stream !== 'home') continue
    const copy = copies.get(event.seq)
    copies.delete(event.seq)
    const about = projectOfEvent(event)
    if (copy && (copy.type !== event.type || copy.stream !== `project:${about}`)) {
      torn.push(
        `${copy.stream} ${copy.seq} (${copy.type}) is no copy of home ${event.seq} (${event.type})`,
      )
    }
    if (!copy && about && event.type !== 'project-created')
      torn.push(`home ${event.seq} (${event.type}) has no copy`)
  }
  for (const copy of copies.values())
    torn.push(`${copy.stream} ${copy.seq} stands for home ${copy.ref_seq}, which is not there`)
}

function projectOfEvent({ data }: Event): string | undefined {
  const body = JSON.parse(data ?? '{}') as { project?: { id: string }; projectId?: string }
  return body.project?.id ?? body.projectId
}

function checkAcknowledged(
  stored: Stored,
  ledger: Acknowledgements,
  byMark: ByMark,
  exact: boolean,
  findings: Findings,
): void {
  const receipts = new Set(stored.receipts.map(({ key }) => key))
  const hashes = new Set([
    ...stored.agents.map((row) => row.passkey_hash),
    ...stored.credentials.map((row) => row.hash),
  ])
  const lastOfWriter = new Map<string, number>()
  for (const { attempt, answer, mark, data, late } of ledger.acknowledged.values()) {
    const [event, ...more] = byMark.get(mark) ?? []
    if (!event) {
      findings.lost.push(`${attempt.id} (${attempt.useCase}) was acknowledged and is not there`)
      continue
    }
    for (const { seq } of more)
      findings.doubled.push(
        `${attempt.id} (${attempt.useCase}) is there twice: ${event.seq}, ${seq}`,
      )
    const same = exact
      ? event.data === data
      : isDeepStrictEqual(JSON.parse(event.data ?? ''), JSON.parse(data))
    if (!same)
      findings.torn.push(`${attempt.id} is home ${event.seq} with ${event.data} instead of ${data}`)
    if (attempt.keyed && !receipts.has(attempt.id))
      findings.lost.push(`${attempt.id} has lost its receipt`)
    const secret = answer?.['passkey'] ?? answer?.['token']
    if (typeof secret === 'string' && !hashes.has(hashSecret(secret)))
      findings.lost.push(`${attempt.id}: its secret opens nothing`)
    if (late) continue
    if ((lastOfWriter.get(attempt.writer) ?? 0) >= event.seq)
      findings.reordered.push(`${attempt.id} is home ${event.seq}`)
    lastOfWriter.set(attempt.writer, event.seq)
  }
}

function checkRefused(
  stored: Stored,
  ledger: Acknowledgements,
  byMark: ByMark,
  { torn }: Findings,
): void {
  const receipts = new Set(stored.receipts.map(({ key }) => key))
  for (const attempt of ledger.refused.values()) {
    if (byMark.has(markOfAttempt(attempt)))
      torn.push(`${attempt.id} (${attempt.useCase}) was refused and is there`)
    if (receipts.has(attempt.id)) torn.push(`${attempt.id} was refused and has a receipt`)
  }
}

/** A receipt without its event, or an event without its receipt, is half a write. */
function checkReceipts({ receipts, events }: Stored, { torn }: Findings): void {
  const withReceipt = new Set(receipts.map(({ key }) => key))
  const withEvent = new Set(
    events.flatMap(({ data }) => (data === null ? [] : [attemptOf(JSON.parse(data))])),
  )
  for (const key of withReceipt)
    if (!withEvent.has(key)) torn.push(`${key} has a receipt and no event`)
  for (const id of withEvent)
    if (id.endsWith(keyedEnd) && !withReceipt.has(id))
      torn.push(`${id} has an event and no receipt`)
}

const attemptOf = ({ by, person }: { by: string; person?: { name: string } }): string =>
  person ? person.name.slice(0, person.name.indexOf(' ')) : by

function checkState(stored: Stored, state: State, { torn }: Findings): void {
  const assigned = Map.groupBy(stored.assignments, (row) => row.project_id)
  const pairs = new Set(stored.assignments.map((row) => `${row.project_id} ${row.agent_id}`))
  compare(
    'assignment',
    new Map([...state.assignments].map((pair) => [pair, pair])),
    [...pairs].map((pair) => [pair, pair]),
    torn,
  )
  const projects = stored.projects.map((row) => {
    const agentIds = (assigned.get(row.id) ?? []).map((each) => each.agent_id)
    return [row.id, { ...projectOf(row, agentIds), agentIds: agentIds.sort() }] as const
  })
  const agentsOf = Map.groupBy(state.assignments, (pair) => pair.slice(0, pair.indexOf(' ')))
  const expected = new Map(
    [...state.projects].map(([id, project]) => {
      const agentIds = (agentsOf.get(id) ?? [])
        .map((pair) => pair.slice(pair.indexOf(' ') + 1))
        .sort()
      return [id, { ...project, agentIds }]
    }),
  )
  compare('project', expected, projects, torn)
  const agents = stored.agents.map((row) => {
    const { projectIds: _, ...agent } = agentOf(row, [])
    return [row.id, agent] as const
  })
  compare('agent', state.agents, agents, torn)
  compare(
    'person',
    state.people,
    stored.people.map((row) => [row.id, personOf(row)]),
    torn,
  )
  for (const { id } of stored.people) {
    if (!stored.credentials.some((row) => row.person_id === id))
      torn.push(`person ${id} has no credential`)
  }
}

function compare(
  what: string,
  expected: ReadonlyMap<string, unknown>,
  rows: Iterable<readonly [string, unknown]>,
  torn: string[],
): void {
  const seen = new Set<string>()
  for (const [id, row] of rows) {
    seen.add(id)
    if (!isDeepStrictEqual(expected.get(id), row)) {
      torn.push(
        `${what} ${id} is ${JSON.stringify(row)}; the events say ${JSON.stringify(expected.get(id))}`,
      )
    }
  }
  for (const id of expected.keys())
    if (!seen.has(id)) torn.push(`${what} ${id} is not there; the events say it is`)
}
