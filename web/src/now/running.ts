/** The agents running now, and the activity of each in a word. */
import { useQuery } from '@tanstack/react-query'
import { isHeld, type RunningAgent, runningAgents } from '../../../src/client/running.ts'
import type { RoleAgent } from '../../../src/protocol/consoles/user-session.ts'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { translated } from '../../../src/protocol/notice-words.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import { liveAgentSessions, livingProcesses } from '../live/processes.ts'
import { standingDots, standingOf, standingWord } from '../processes/process-words.ts'
import type { LiveState } from '../shell/state-dot.tsx'
import type { Messages } from '../translations/en.ts'
import { askedTitle } from '../translations/sandbox-requests.ts'

/** undefined until it is known. */
export function useRunning(): RunningAgent[] | undefined {
  const processes = useQuery(livingProcesses).data
  const agentSessions = useQuery(liveAgentSessions).data
  return processes && agentSessions && runningAgents(processes, agentSessions)
}

/** The begun session that it alone serves. */
const begunSessionOf = ({ agentSession, process }: RunningAgent): string | undefined =>
  agentSession?.conversationKey ?? process?.conversationKey

/**
 * The agents whose work no session tells: idle ones, those that start, and those that are held. The
 * idle agent of a begun session is left out: the session is in the sidebar, and wakes by itself.
 * `conversationOf`: of an agent in a role.
 */
export function withoutSession(
  running: readonly RunningAgent[],
  listed: readonly ListedConversation[],
  conversationOf: (running: RunningAgent) => string | null | undefined,
): RunningAgent[] {
  return running.filter((each) => {
    if (isHeld(each)) return true
    const begun = begunSessionOf(each)
    if (begun !== undefined)
      return each.agentSession?.state !== 'active' && !listed.some(({ key }) => key === begun)
    const inRole = conversationOf(each)
    return !listed.some(({ key, kind, projectId, agentId, userSessionId }) =>
      each.process?.roleAgentId
        ? key === inRole
        : kind !== 'session' &&
          projectId === each.projectId &&
          agentId === each.agentId &&
          userSessionId === undefined,
    )
  })
}

export function activityOf(
  { agentSession, process }: RunningAgent,
  machines: readonly Coordinator[] | undefined,
  words: Messages,
  role?: RoleAgent,
): { dot: LiveState; word: string } {
  const standing = process && standingOf(process, machines)
  const odd = standing !== undefined && standing !== 'running'
  if (standing && (odd || !agentSession)) {
    if (standing === 'running' && process?.roleAgentId) return activityInRole(role, words)
    const word = standing === 'running' ? words.running.signingIn : standingWord(standing, words)
    const dot = standing === 'running' ? 'starting' : standingDots[standing]
    const detail =
      standing === 'held' && process?.detail
        ? `: ${translated(words.translation, process.detail, process.notice)}`
        : ''
    return { dot, word: word + detail }
  }
  if (agentSession?.state !== 'active')
    return { dot: 'starting', word: words.agentSessions.states.terminating }
  const isTask = agentSession.purpose === 'task'
  return isTask
    ? { dot: 'working', word: words.running.task }
    : { dot: 'idle', word: words.running.idle }
}

/** Waiting outranks working. */
function activityInRole(
  role: RoleAgent | undefined,
  words: Messages,
): { dot: LiveState; word: string } {
  const [asked] = role?.permissions ?? []
  if (asked) return { dot: 'waiting', word: words.running.asks(askedTitle(asked.title, words)) }
  if (role?.limit) return { dot: 'waiting', word: words.console.limitReached }
  if (role?.turn) return { dot: 'working', word: words.running.working }
  return { dot: 'idle', word: role ? words.running.idle : words.running.console }
}
