/** What Now shows, out of everything that the page follows. */
import { useQuery } from '@tanstack/react-query'
import { isHeld, type RunningAgent } from '../../../src/client/running.ts'
import type { RoleAgent } from '../../../src/protocol/consoles/user-session.ts'
import { inbox } from '../live/approvals.ts'
import { interrupted } from '../live/continuity.ts'
import { coordinators } from '../live/processes.ts'
import { useHome } from '../live/queries.ts'
import { atWork, recent, useSteps } from '../live/recent.ts'
import { userSessionsWith } from '../live/user-sessions.ts'
import { useWords } from '../translations/messages.tsx'
import { type NowRows, type OtherAgent, rowsOfNow } from './now-rows.ts'
import { activityOf, useRunning, withoutSession } from './running.ts'

interface Known {
  readonly rows: NowRows | undefined
  readonly error: unknown
}

/** Undefined until everything was read once: rows do not jump from group to group. */
export function useNowRows(under: string | undefined): Known {
  const approvals = useQuery(inbox)
  const listed = useQuery({ ...recent, enabled: useHome() !== undefined })
  const live = useQuery(atWork)
  const stopped = useQuery(interrupted)
  useSteps(live.data ?? [])
  const others = useOthers(live.data ?? [])
  const error = [approvals, listed, live, stopped].find((each) => each.error && !each.data)?.error
  if (!approvals.data || !listed.data || !live.data || !stopped.data)
    return { rows: undefined, error }
  const rows = rowsOfNow({
    approvals: approvals.data.items,
    recent: listed.data,
    live: live.data,
    interrupted: stopped.data,
    others,
    under,
  })
  return { rows, error: undefined }
}

/** Agents that start or are held, and work on tasks of those that pull. */
function useOthers(live: Parameters<typeof withoutSession>[1]): OtherAgent[] {
  const words = useWords()
  const machines = useQuery(coordinators).data
  const running = useRunning() ?? []
  const roles = useRoles(running)
  return withoutSession(running, live, (each) => roles(each)?.conversation).flatMap((each) => {
    const { dot: state, word } = activityOf(each, machines, words, roles(each))
    return state === 'idle' && !isHeld(each) ? [] : [{ running: each, state, word }]
  })
}

function useRoles(
  running: readonly RunningAgent[],
): (running: RunningAgent) => RoleAgent | undefined {
  const launchIds = running.flatMap(({ process }) => (process?.roleAgentId ? process.launchId : []))
  const { data = [] } = useQuery(userSessionsWith(launchIds))
  const roles = new Map<string | null, RoleAgent>()
  for (const { agents } of data) for (const agent of agents) roles.set(agent.launchId, agent)
  return ({ process }) => roles.get(process?.launchId ?? '')
}
