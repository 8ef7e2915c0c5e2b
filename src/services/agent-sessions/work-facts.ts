/** Loads the facts about an agent's work in a project (AS3), for authentication, exits and starts. */
import type { Work, WorkFacts } from '../../domain/agent-sessions/work-detection.ts'
import { liveOfPair, type Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { unreadOf } from '../../store/agent-sessions/work-at-hand.ts'
import { selectPurpose } from '../../store/conversations/panels.ts'
import type { Reader } from '../../store/store.ts'
import { selectNextTask } from '../../store/work/plans.ts'
import { selectTaskAtHand, type TaskRow } from '../../store/work/tasks.ts'

/** The task an agent would take: one in progress in a running work session, or else the next of an open plan (WK5). */
export const taskFor = async (reader: Reader, { agentId, projectId }: Pair): Promise<TaskRow | undefined> =>
  (await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId: null })) ??
  (await reader.first(selectNextTask, { agentId, projectId }))

export const workOf = async (reader: Reader, pair: Pair): Promise<Work> => ({
  hasTask: (await taskFor(reader, pair)) !== undefined,
  unreadMessages: await unreadOf(reader, pair),
})

export async function workFactsOf(reader: Reader, pair: Pair): Promise<WorkFacts> {
  const purpose = await reader.first(selectPurpose, { agent_id: pair.agentId, project_id: pair.projectId })
  const live = await liveOfPair(reader, pair)
  return {
    ...(await workOf(reader, pair)),
    pendingChatSince: purpose?.created_at ?? null,
    live: live.map((each) => each.purpose),
  }
}
