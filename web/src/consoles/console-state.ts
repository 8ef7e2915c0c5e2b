/**
 * The state of one user session, built from its events (RL3): its roles with their agents, and the
 * turns of each. Pure: the same events make the same state on every device; a snapshot replaces all
 * that was known.
 */

import type { RelayEvent, RelaySnapshot } from '../../../src/client/relay-messages.ts'
import type { RoleAgent, Turn } from '../../../src/protocol/consoles/user-session.ts'
import type { Notice } from '../../../src/protocol/notice-words.ts'
import { foldTurn, type TurnStreamEvent } from '../../../src/protocol/threads/fold-turn.ts'
import {
  configured,
  noOffers,
  type Offers,
  offersAfter,
} from '../../../src/protocol/threads/offers.ts'
import type { ThreadAgent } from '../../../src/protocol/threads/thread-state.ts'
import { begunTurn, shownTurn, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'

/** An event of the agent between its turns. */
export interface AgentEvent {
  readonly kind: 'started' | 'asleep' | 'failed' | 'ended'
  readonly at: string
  readonly text: string | null
  readonly notice?: Notice | null | undefined
}

export type PaneAgent = Offers & ThreadAgent & Pick<RoleAgent, 'queue' | 'limit'>

export interface Pane {
  readonly role: string
  /** null when nobody holds the role any more. */
  readonly agent: PaneAgent | null
  /** The one that held it last. */
  readonly lastAgentId: string
  readonly entries: readonly (ThreadTurn | AgentEvent)[]
}

export interface ConsoleState {
  readonly projectId: string
  readonly state: 'ACTIVE' | 'TERMINATED'
  readonly panes: readonly Pane[]
  /** Older turns may exist than the oldest one here. */
  readonly cut: boolean
}

export const emptyConsole: ConsoleState = { projectId: '', state: 'ACTIVE', panes: [], cut: false }

/** Bounds the turns of a pane; older ones are dropped. */
const mostEntries = 2000

export function fromSnapshot({
  state,
  agents,
  turns,
  projectId = '',
}: RelaySnapshot): ConsoleState {
  const roles = new Set([...agents.map(({ role }) => role), ...turns.map(({ role }) => role)])
  const panes = [...roles].map((role): Pane => {
    const found = agents.find((agent) => agent.role === role)
    const over = turns.filter((turn) => turn.role === role).map((turn) => shownTurn(turn, []))
    const running = found?.turn
      ? [shownTurn(found.turn, found.permissions, undefined, found.questions)]
      : []
    return {
      role,
      agent: found ? paneAgent(found) : null,
      lastAgentId: found?.agentId ?? '',
      entries: [...over, ...running],
    }
  })
  return { projectId, state: state ?? 'TERMINATED', panes, cut: turns.length > 0 }
}

/**
 * Turns read page by page stand before all that is known of their roles; `more`: there are older
 * ones still.
 */
export function withOlder(
  consoleState: ConsoleState,
  turns: readonly Turn[],
  more: boolean,
): ConsoleState {
  const over = turns
    .filter(({ state }) => state !== 'queued' && state !== 'running')
    .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const known = new Set(
    consoleState.panes.flatMap(({ entries }) =>
      entries.map((entry) => entry.kind === 'turn' && entry.id),
    ),
  )
  const missing = over.filter(({ messageId }) => !known.has(messageId))
  const roles = new Set([
    ...consoleState.panes.map(({ role }) => role),
    ...missing.map(({ role }) => role),
  ])
  const panes = [...roles].map((role): Pane => {
    const pane = consoleState.panes.find((each) => each.role === role) ?? {
      role,
      agent: null,
      lastAgentId: '',
      entries: [],
    }
    const older = missing.filter((turn) => turn.role === role).map((turn) => shownTurn(turn, []))
    return { ...pane, entries: [...older, ...pane.entries] }
  })
  return { ...consoleState, panes, cut: more }
}

const paneAgent = ({ modeId, ...agent }: RoleAgent): PaneAgent => ({
  ...agent,
  mode: modeId,
  asked: [],
  notSet: null,
})

export function afterEvent(consoleState: ConsoleState, event: RelayEvent): ConsoleState {
  if (event.type === 'session:created') return { ...consoleState, projectId: event.projectId }
  if (event.type === 'session:terminated') return { ...consoleState, state: 'TERMINATED' }
  const { role } = event
  const known = consoleState.panes.find((pane) => pane.role === role)
  const changed = changedPane(known ?? { role, agent: null, lastAgentId: '', entries: [] }, event)
  const pane = { ...changed, entries: changed.entries.slice(-mostEntries) }
  const panes = known
    ? consoleState.panes.map((each) => (each === known ? pane : each))
    : [...consoleState.panes, pane]
  return { ...consoleState, panes }
}

type AboutRole = Exclude<RelayEvent, { type: 'session:created' | 'session:terminated' }>

function changedPane(pane: Pane, event: AboutRole): Pane {
  const at = event.timestamp
  switch (event.type) {
    case 'agent:spawning': {
      const { agentId, workspace } = event
      const agent: PaneAgent = { ...newAgent, agentId, workspace }
      return { ...pane, agent, lastAgentId: agentId }
    }
    case 'agent:ready': {
      const {
        conversation,
        workspace,
        branch,
        note,
        notRestored,
        notices,
        modes,
        modeId,
        options,
        images,
        how,
      } = event
      const offered = { modes, mode: modeId, options, images }
      const ready = {
        state: 'ACTIVE',
        conversation,
        workspace,
        branch,
        note,
        notRestored,
        notices,
        ...offered,
      } as const
      const started = { kind: 'started', at, text: how === 'new' ? null : how } as const
      return { ...withAgent(pane, ready), entries: [...pane.entries, started] }
    }
    case 'agent:failed': {
      const { step, error, notice, exitCode, signal } = event
      const entries = withoutAnswer(pane.entries)
      const notices = { ...pane.agent?.notices, ...(notice && { error: notice }) }
      const failed = { state: 'FAILED', step, error, notices, exitCode, signal } as const
      return {
        ...withAgent(pane, failed),
        entries: [...entries, { kind: 'failed', at, text: error }],
      }
    }
    case 'agent:asleep':
      return { ...pane, entries: [...pane.entries, { kind: 'asleep', at, text: null }] }
    case 'agent:terminated':
      return {
        ...pane,
        agent: null,
        entries: [
          ...withoutAnswer(pane.entries),
          { kind: 'ended', at, text: event.reason, notice: event.notice },
        ],
      }
    case 'agent:queued': {
      const { messageId, position, content, by } = event
      const waits = { messageId, position, content: [...content], by, createdAt: at }
      return withAgent(pane, { queue: [...(pane.agent?.queue ?? []), waits] })
    }
    case 'agent:withdrawn':
      return withAgent(pane, { queue: withoutPrompt(pane, event.messageId) })
    case 'agent:prompted': {
      const turn = begunTurn(event, at)
      return {
        ...withAgent(pane, { queue: withoutPrompt(pane, event.messageId) }),
        entries: [...pane.entries, turn],
      }
    }
    // The approval's own card says so.
    case 'approval:held':
      return pane
    case 'agent:configuring':
      return withAgent(pane, { asked: [...(pane.agent?.asked ?? []), event.change], notSet: null })
    case 'agent:configured':
      return pane.agent ? withAgent(pane, configured(pane.agent, event)) : pane
    case 'agent:limited': {
      const { until, messageId, goesOn } = event
      return withAgent(pane, { limit: until === null ? null : { until, messageId, goesOn } })
    }
    case 'agent:update':
      return event.messageId === null
        ? withAgent(pane, offersAfter(event.update))
        : withTurnEvent(pane, event)
    case 'agent:response':
    case 'permission:requested':
    case 'permission:resolved':
    case 'question:requested':
    case 'question:resolved':
      return withTurnEvent(pane, event)
  }
}

const newAgent: PaneAgent = {
  ...noOffers,
  agentId: '',
  conversation: '',
  state: 'SPAWNING',
  workspace: '',
  branch: null,
  note: null,
  error: null,
  step: null,
  exitCode: null,
  signal: null,
  notRestored: null,
  queue: [],
  limit: null,
}

const withAgent = (pane: Pane, change: Partial<PaneAgent>): Pane =>
  pane.agent ? { ...pane, agent: { ...pane.agent, ...change } } : pane

/** Moves the prompts behind it forward in the queue. */
const withoutPrompt = ({ agent }: Pane, messageId: string): PaneAgent['queue'] =>
  (agent?.queue ?? [])
    .filter((each) => each.messageId !== messageId)
    .map((each, index) => ({ ...each, position: index + 1 }))

const withTurnEvent = (pane: Pane, event: AboutRole): Pane => {
  const turnEvent = { type: event.type, at: event.timestamp, data: event } as TurnStreamEvent
  return {
    ...pane,
    entries: pane.entries.map((entry) =>
      entry.kind === 'turn' ? foldTurn(entry, turnEvent) : entry,
    ),
  }
}

/** Marks an open turn whose agent has gone: its outcome is unknown. */
const withoutAnswer = (entries: Pane['entries']): Pane['entries'] =>
  entries.map((entry) =>
    entry.kind === 'turn' && entry.state === 'running' ? { ...entry, state: 'unknown' } : entry,
  )

/** The turn that runs, and what it waits for. */
export const runningTurn = ({ entries }: Pane): ThreadTurn | undefined =>
  entries.findLast(
    (entry): entry is ThreadTurn => entry.kind === 'turn' && entry.state === 'running',
  )
