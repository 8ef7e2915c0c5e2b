/** What is known about the work of an agent in a project (AS3), for all who decide by it: authentication, exits, starts. */
import type { Work, WorkFacts } from '../domain/agent-session/work-detection.ts'
import { liveOfPair, type Pair } from '../store/queries/agent-sessions.ts'
import { selectPurpose } from '../store/queries/purposes.ts'
import { selectTaskAtHand, type TaskRow } from '../store/queries/tasks.ts'
import { unreadOf } from '../store/queries/work-at-hand.ts'
import type { Reader } from '../store/store.ts'

/** The task an agent would take up: in progress, in a work session that is running. */
export const taskFor = (reader: Reader, { agentId, projectId }: Pair): Promise<TaskRow | undefined> =>
  reader.first(selectTaskAtHand, { agentId, projectId, workSessionId: null })

export const workOf = async (reader: Reader, pair: Pair): Promise<Work> => ({
  hasTaskInProgress: (await taskFor(reader, pair)) !== undefined,
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
