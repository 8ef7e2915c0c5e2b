/**
 * The state of one user session, built from its events (RL3): its roles with their agents, and the turns of each.
 * Pure: the same events make the same state on every device; a snapshot replaces all that was known.
 */

import type { RelayEvent, RelaySnapshot } from '../../../src/client/relay-messages.ts'
import type { AskedPermission, PermissionOutcome, RoleAgent, Turn } from '../../../src/protocol/consoles/user-session.ts'
import type { Notice } from '../../../src/protocol/notice-words.ts'
import type { AgentMode, AgentOption, AgentUpdate, ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import { withUpdate } from './turn-items.ts'

export interface Permission extends AskedPermission {
  readonly outcome: PermissionOutcome | null
  readonly optionId: string | null
  readonly decidedBy: string | null
}

/** A piece of what an agent did in a turn, in the order it came. */
export type Item =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Extract<AgentUpdate, { kind: 'plan' }>['entries'] }
  | { readonly kind: 'permission'; readonly permission: Permission }

export interface ShownTurn {
  readonly kind: 'turn'
  readonly messageId: string
  readonly by: string
  readonly content: readonly PromptPart[]
  readonly state: Exclude<Turn['state'], 'queued'>
  readonly items: readonly Item[]
  readonly stopReason: string | null
  readonly error: string | null
  readonly notice?: Notice | null | undefined
  /** The turn ended at its vendor's limit. */
  readonly limited: boolean
  readonly cut: boolean
  readonly at: string
}

/** An event of the agent between its turns. */
export interface AgentEvent {
  readonly kind: 'started' | 'asleep' | 'failed' | 'ended'
  readonly at: string
  readonly text: string | null
  readonly notice?: Notice | null | undefined
}

export interface PaneAgent
  extends Pick<
    RoleAgent,
    | 'agentId'
    | 'state'
    | 'workspace'
    | 'branch'
    | 'note'
    | 'error'
    | 'notices'
    | 'step'
    | 'exitCode'
    | 'signal'
    | 'notRestored'
    | 'queue'
    | 'limit'
  > {
  readonly mode: string | null
  readonly modes: readonly AgentMode[]
  readonly options: readonly AgentOption[]
  readonly images: boolean
  /** Asked of it and not answered yet. */
  readonly asked: readonly ConfigChange[]
  /** Why it did not set what it was asked to, last. */
  readonly notSet: { readonly text: string; readonly notice?: Notice | null | undefined } | null
  readonly usage: { readonly used: number; readonly size: number; readonly cost: string | null } | null
}

export interface Pane {
  readonly role: string
  /** null when nobody holds the role any more. */
  readonly agent: PaneAgent | null
  /** The one that held it last. */
  readonly lastAgentId: string
  readonly entries: readonly (ShownTurn | AgentEvent)[]
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

export function fromSnapshot({ state, agents, turns, projectId = '' }: RelaySnapshot): ConsoleState {
  const roles = new Set([...agents.map(({ role }) => role), ...turns.map(({ role }) => role)])
  const panes = [...roles].map((role): Pane => {
    const found = agents.find((agent) => agent.role === role)
    const over = turns.filter((turn) => turn.role === role).map((turn) => shownTurn(turn, []))
    const running = found?.turn ? [shownTurn(found.turn, found.permissions)] : []
    return { role, agent: found ? paneAgent(found) : null, lastAgentId: found?.agentId ?? '', entries: [...over, ...running] }
  })
  return { projectId, state: state ?? 'TERMINATED', panes, cut: turns.length > 0 }
}

/** Turns read page by page stand before all that is known of their roles; `more`: there are older ones still. */
export function withOlder(consoleState: ConsoleState, turns: readonly Turn[], more: boolean): ConsoleState {
  const over = turns
    .filter(({ state }) => state !== 'queued' && state !== 'running')
    .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  const known = new Set(
    consoleState.panes.flatMap(({ entries }) => entries.map((entry) => entry.kind === 'turn' && entry.messageId)),
  )
  const missing = over.filter(({ messageId }) => !known.has(messageId))
  const roles = new Set([...consoleState.panes.map(({ role }) => role), ...missing.map(({ role }) => role)])
  const panes = [...roles].map((role): Pane => {
    const pane = consoleState.panes.find((each) => each.role === role) ?? { role, agent: null, lastAgentId: '', entries: [] }
    const older = missing.filter((turn) => turn.role === role).map((turn) => shownTurn(turn, []))
    return { ...pane, entries: [...older, ...pane.entries] }
  })
  return { ...consoleState, panes, cut: more }
}

function shownTurn(turn: Turn, permissions: readonly AskedPermission[]): ShownTurn {
  const { messageId, by, content, stopReason, error, notice, cut, createdAt, startedAt, text } = turn
  const asked = permissions.map((each): Item => ({ kind: 'permission', permission: unanswered(each) }))
  const items: Item[] = [...(text ? [{ kind: 'text', text } as const] : []), ...asked]
  const state = turn.state === 'queued' ? 'running' : turn.state
  const limited = (turn.limitedUntil ?? null) !== null
  return {
    kind: 'turn',
    messageId,
    by,
    content,
    state,
    items,
    stopReason,
    error,
    notice,
    limited,
    cut,
    at: startedAt ?? createdAt,
  }
}

const unanswered = (asked: AskedPermission): Permission => ({ ...asked, outcome: null, optionId: null, decidedBy: null })

const paneAgent = ({ modeId, ...agent }: RoleAgent): PaneAgent => ({ ...agent, mode: modeId, asked: [], notSet: null })

export function afterEvent(consoleState: ConsoleState, event: RelayEvent): ConsoleState {
  if (event.type === 'session:created') return { ...consoleState, projectId: event.projectId }
  if (event.type === 'session:terminated') return { ...consoleState, state: 'TERMINATED' }
  const { role } = event
  const known = consoleState.panes.find((pane) => pane.role === role)
  const changed = changedPane(known ?? { role, agent: null, lastAgentId: '', entries: [] }, event)
  const pane = { ...changed, entries: changed.entries.slice(-mostEntries) }
  const panes = known ? consoleState.panes.map((each) => (each === known ? pane : each)) : [...consoleState.panes, pane]
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
      const { workspace, branch, note, notRestored, notices, modes, modeId, options, images, how } = event
      const ready = {
        state: 'ACTIVE',
        workspace,
        branch,
        note,
        notRestored,
        notices,
        modes,
        mode: modeId,
        options,
        images,
      } as const
      const started = { kind: 'started', at, text: how === 'new' ? null : how } as const
      return { ...withAgent(pane, ready), entries: [...pane.entries, started] }
    }
    case 'agent:failed': {
      const { step, error, notice, exitCode, signal } = event
      const entries = withoutAnswer(pane.entries)
      const notices = { ...pane.agent?.notices, ...(notice && { error: notice }) }
      const failed = { state: 'FAILED', step, error, notices, exitCode, signal } as const
      return { ...withAgent(pane, failed), entries: [...entries, { kind: 'failed', at, text: error }] }
    }
    case 'agent:asleep':
      return { ...pane, entries: [...pane.entries, { kind: 'asleep', at, text: null }] }
    case 'agent:terminated':
      return {
        ...pane,
        agent: null,
        entries: [...withoutAnswer(pane.entries), { kind: 'ended', at, text: event.reason, notice: event.notice }],
      }
    case 'agent:queued': {
      const { messageId, position, content, by } = event
      const waits = { messageId, position, content: [...content], by, createdAt: at }
      return withAgent(pane, { queue: [...(pane.agent?.queue ?? []), waits] })
    }
    case 'agent:withdrawn':
      return withAgent(pane, { queue: withoutPrompt(pane, event.messageId) })
    case 'agent:prompted': {
      const { messageId, by, content } = event
      const begun = { kind: 'turn', messageId, by, content, state: 'running', items: [], at } as const
      const turn: ShownTurn = { ...begun, stopReason: null, error: null, limited: false, cut: false }
      return { ...withAgent(pane, { queue: withoutPrompt(pane, messageId) }), entries: [...pane.entries, turn] }
    }
    case 'agent:configuring':
      return withAgent(pane, { asked: [...(pane.agent?.asked ?? []), event.change], notSet: null })
    case 'agent:configured':
      return configured(pane, event)
    case 'agent:limited': {
      const { until, messageId, goesOn } = event
      return withAgent(pane, { limit: until === null ? null : { until, messageId, goesOn } })
    }
    case 'agent:update':
      return updated(pane, event.messageId, event.update)
    case 'agent:response':
      return withTurn(pane, event.messageId, (turn) => answered(turn, event))
    case 'permission:requested': {
      const permission = unanswered({ ...event, options: [...event.options] })
      return withTurn(pane, event.messageId, (turn) => ({ ...turn, items: [...turn.items, { kind: 'permission', permission }] }))
    }
    case 'permission:resolved': {
      const { approvalId, outcome, optionId, decidedBy } = event
      return withAsked(pane, approvalId, (permission) => ({ ...permission, outcome, optionId, decidedBy }))
    }
  }
}

const newAgent: PaneAgent = {
  agentId: '',
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
  mode: null,
  modes: [],
  options: [],
  images: false,
  asked: [],
  notSet: null,
  usage: null,
  limit: null,
}

const withAgent = (pane: Pane, change: Partial<PaneAgent>): Pane =>
  pane.agent ? { ...pane, agent: { ...pane.agent, ...change } } : pane

/** Moves the prompts behind it forward in the queue. */
const withoutPrompt = ({ agent }: Pane, messageId: string): PaneAgent['queue'] =>
  (agent?.queue ?? []).filter((each) => each.messageId !== messageId).map((each, index) => ({ ...each, position: index + 1 }))

const withTurn = (pane: Pane, messageId: string, change: (turn: ShownTurn) => ShownTurn): Pane => ({
  ...pane,
  entries: pane.entries.map((entry) => (entry.kind === 'turn' && entry.messageId === messageId ? change(entry) : entry)),
})

function withAsked(pane: Pane, approvalId: number, change: (permission: Permission) => Permission): Pane {
  const changed = (item: Item): Item =>
    item.kind === 'permission' && item.permission.approvalId === approvalId
      ? { ...item, permission: change(item.permission) }
      : item
  const entries = pane.entries.map((entry) => (entry.kind === 'turn' ? { ...entry, items: entry.items.map(changed) } : entry))
  return { ...pane, entries }
}

function configured(pane: Pane, { change, error, notice }: Extract<RelayEvent, { type: 'agent:configured' }>): Pane {
  const { agent } = pane
  if (!agent) return pane
  const index = agent.asked.findIndex((each) => JSON.stringify(each) === JSON.stringify(change))
  const asked = agent.asked.toSpliced(index < 0 ? 0 : index, 1)
  if (error !== null) return withAgent(pane, { asked, notSet: { text: error, notice } })
  if ('modeId' in change) return withAgent(pane, { asked, mode: change.modeId })
  const options = agent.options.map((option) => (option.id === change.optionId ? { ...option, value: change.value } : option))
  return withAgent(pane, { asked, options })
}

function updated(pane: Pane, messageId: string | null, update: AgentUpdate): Pane {
  if (update.kind === 'mode') return withAgent(pane, { mode: update.modeId })
  if (update.kind === 'usage') return withAgent(pane, { usage: { used: update.used, size: update.size, cost: update.cost } })
  if (update.kind === 'options') return withAgent(pane, { options: update.options })
  if (messageId === null || update.kind === 'commands' || update.kind === 'output') return pane
  return withTurn(pane, messageId, (turn) => ({ ...turn, items: withUpdate(turn.items, update) }))
}

/** The pieces are what was hasText; the whole answer is shown only where none of them was seen. */
function answered(turn: ShownTurn, event: Extract<RelayEvent, { type: 'agent:response' }>): ShownTurn {
  const { content, stopReason, error, notice, cut, limitedUntil } = event
  const hasText = turn.items.some(({ kind }) => kind === 'text')
  const items: readonly Item[] = hasText || content === '' ? turn.items : [...turn.items, { kind: 'text', text: content }]
  const state = stopReason === 'cancelled' ? 'cancelled' : stopReason === 'error' ? 'failed' : 'answered'
  return { ...turn, items, state, stopReason, error, notice, limited: limitedUntil !== undefined, cut }
}

/** Marks an open turn whose agent has gone: its outcome is unknown. */
const withoutAnswer = (entries: Pane['entries']): Pane['entries'] =>
  entries.map((entry) => (entry.kind === 'turn' && entry.state === 'running' ? { ...entry, state: 'unknown' } : entry))

/** The turn that runs, and what it waits for. */
export const runningTurn = ({ entries }: Pane): ShownTurn | undefined =>
  entries.findLast((entry): entry is ShownTurn => entry.kind === 'turn' && entry.state === 'running')

export const asksSomething = (turn: ShownTurn | undefined): boolean =>
  turn?.items.some((item) => item.kind === 'permission' && item.permission.outcome === null) ?? false
