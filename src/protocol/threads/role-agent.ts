/**
 * How events change the agent of a role: its state, what waits for it, what it offers (AG1, AG6).
 * What it offers is told in every thread, the rest in roles alone. Pure.
 */
import { configured, noOffers, offersAfter } from './offers.ts'
import type { AgentRemark, ThreadAgent, ThreadEvent, ThreadState } from './thread-state.ts'
import type { ThreadTurn } from './thread-turn.ts'

/** More than anybody reads. */
const mostRemarks = 500

const newAgent: ThreadAgent = {
  agentId: '',
  conversation: '',
  state: 'SPAWNING',
  workspace: '',
  branch: null,
  note: null,
  error: null,
  notices: undefined,
  step: null,
  exitCode: null,
  signal: null,
  notRestored: null,
}

export function withRoleEvent(state: ThreadState, event: ThreadEvent): ThreadState {
  const { at } = event
  switch (event.type) {
    case 'agent:spawning': {
      const { agentId, workspace } = event.data
      const agent = { ...newAgent, agentId, workspace }
      return { ...state, agent, lastAgentId: agentId, queue: [], limit: null, offers: noOffers }
    }
    case 'agent:ready': {
      const { conversation, workspace, branch, note, notRestored, notices } = event.data
      const { modes, modeId: mode, options, images, how } = event.data
      const ready = { state: 'ACTIVE', conversation, workspace, branch, note, notRestored } as const
      const offers = { ...state.offers, modes, mode, options, images }
      const text = how === 'new' ? null : how
      return withRemark(withAgent({ ...state, offers }, { ...ready, notices }), {
        kind: 'started',
        at,
        text,
      })
    }
    case 'agent:failed': {
      const { step, error, notice, exitCode, signal } = event.data
      const notices = { ...state.agent?.notices, ...(notice && { error: notice }) }
      const failed = { state: 'FAILED', step, error, notices, exitCode, signal } as const
      return withRemark(withAgent(withoutAnswer(state), failed), {
        kind: 'failed',
        at,
        text: error,
      })
    }
    case 'agent:asleep':
      return withRemark(state, { kind: 'asleep', at, text: null })
    case 'agent:terminated': {
      const { reason: text, notice } = event.data
      const left = { ...withoutAnswer(state), agent: null, queue: [], limit: null }
      return withRemark(left, { kind: 'ended', at, text, notice })
    }
    case 'agent:queued': {
      const { messageId, position, content, by } = event.data
      const prompt = { messageId, position, content: [...content], by, createdAt: at }
      return { ...state, queue: [...state.queue, prompt] }
    }
    case 'agent:withdrawn':
    case 'agent:prompted':
      return withoutPrompt(state, event.data.messageId)
    case 'agent:configuring': {
      const changes = [...state.offers.asked, event.data.change]
      return { ...state, offers: { ...state.offers, asked: changes, notSet: null } }
    }
    case 'agent:configured':
      return { ...state, offers: { ...state.offers, ...configured(state.offers, event.data) } }
    case 'agent:limited': {
      const { until, messageId, goesOn } = event.data
      return { ...state, limit: until === null ? null : { until, messageId, goesOn } }
    }
    case 'agent:update': {
      const offered = offersAfter(event.data.update)
      if (Object.keys(offered).length === 0) return state
      return { ...state, offers: { ...state.offers, ...offered } }
    }
    default:
      return state
  }
}

const withAgent = (state: ThreadState, change: Partial<ThreadAgent>): ThreadState =>
  state.agent ? { ...state, agent: { ...state.agent, ...change } } : state

const withRemark = (state: ThreadState, remark: AgentRemark): ThreadState => ({
  ...state,
  remarks: [...state.remarks, remark].slice(-mostRemarks),
})

/** Moves the prompts behind it forward in the queue. */
function withoutPrompt(state: ThreadState, id: string): ThreadState {
  if (!state.queue.some(({ messageId }) => messageId === id)) return state
  const queue = state.queue
    .filter(({ messageId }) => messageId !== id)
    .map((prompt, index) => ({ ...prompt, position: index + 1 }))
  return { ...state, queue }
}

/** Marks an open turn whose agent has gone: its outcome is unknown. */
function withoutAnswer(state: ThreadState): ThreadState {
  const turns = state.turns.map(
    (turn): ThreadTurn => (turn.state === 'running' ? { ...turn, state: 'unknown' } : turn),
  )
  return { ...state, turns }
}
