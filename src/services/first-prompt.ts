/** What an agent in a role is told when it is ready and its work was begun before it (RS2): the context, as its first instruction. */
import { resumePrompt } from '../domain/work-session/resume-prompt.ts'
import type { RoleAgentRow } from '../store/queries/role-agents.ts'
import { insertTurn } from '../store/queries/turns.ts'
import { selectUserSession } from '../store/queries/user-sessions.ts'
import { selectWorkSession } from '../store/queries/work-sessions.ts'
import type { Context, Tx } from '../store/store.ts'
import { contextOf } from './resume-context.ts'
import { startNext } from './start-in-role.ts'
import { newTurn } from './turn-record.ts'

/** The use case names the streams of the user session and of the coordinator. */
export async function promptWithContext(tx: Tx, agent: RoleAgentRow, context: Context): Promise<void> {
  const { work_session_id: id, launch_id: launchId } = agent
  const work = id === null ? undefined : await tx.first(selectWorkSession, { id })
  if (!work?.parent_session_id || work.ended_at !== null || launchId === null) return
  const by = (await tx.first(selectUserSession, { id: agent.user_session_id }))?.account_id ?? agent.agent_id
  const content = [{ type: 'text' as const, text: resumePrompt(await contextOf(tx, work, agent.agent_id)) }]
  const turn = newTurn(agent, { id: context.random.uuid(), launchId, content, by, now: context.now })
  await tx.write(insertTurn, turn)
  await startNext(tx, agent, context)
}
