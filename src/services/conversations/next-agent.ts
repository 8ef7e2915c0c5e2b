/**
 * Whether another agent can go on in a session (SN21), and what its row says of who has had it.
 */
import { type Isolation, isolationOf, stricterSandbox } from '../../domain/agents/isolation.ts'
import { isChat } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { agentsInTurn, type ConversationRow } from '../../store/conversations/conversations.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { whyInProject } from './conversation-workplace.ts'

/** Changes of agent that a session tells of, the newest. */
const maxAgentsNamed = 50

/** A chat of people with an agent of a project. */
export type AgentChat = ConversationRow & {
  readonly project_id: string
  readonly agent_id: string
}

export function requireAgentChat(row: ConversationRow): AgentChat {
  const { key, project_id, agent_id, kind } = row
  if (!isChat(kind) || project_id === null || agent_id === null)
    throw new Refusal('wrong_state', refusalText('notContinuable', { key }), { key })
  return { ...row, project_id, agent_id }
}

/** Whether it has processes of its own. Otherwise another agent goes on in another session. */
export const isThread = ({ lane }: Pick<ConversationRow, 'lane'>): boolean => lane !== ''

/** Refuses an agent that is not the project's, or cannot work in the place of a session. */
export async function checkCanGoOn(reader: Reader, row: AgentChat, agentId: string): Promise<void> {
  const { project_id: projectId } = row
  await checkAssigned(reader, { projectId, agentId })
  if (agentId === row.agent_id) return
  const hasPlace = row.workplace === 'worktree' || row.workplace_folder !== null
  const why = hasPlace && (await whyInProject(reader, agentId, true))
  if (why) throw new Refusal('wrong_state', why, { agentId })
  await checkSandboxHolds(reader, row, agentId)
}

/** A process that is not started here is in no sandbox of ours. */
async function checkSandboxHolds(reader: Reader, row: AgentChat, agentId: string): Promise<void> {
  const agent = await reader.row('agents', { id: agentId })
  if (agent?.command != null) return
  for (const each of agentsInTurn(row)) {
    if (each.agentId === agentId) continue
    if ((await isolationIn(reader, row.project_id, each.agentId)) === 'off') continue
    const why = refusalText('sandboxHolds', { agent: agentId, before: each.agentId })
    throw new Refusal('wrong_state', why, { agentId })
  }
}

async function isolationIn(
  reader: Reader,
  project_id: string,
  agent_id: string,
): Promise<Isolation['sandbox']> {
  const agent = await reader.row('agents', { id: agent_id })
  if (!agent) return 'off'
  const assigned = await reader.first(selectAssignment, { project_id, agent_id })
  return isolationOf(agent.isolation, assigned?.isolation).sandbox
}

/** The strictest sandbox of the agents that had a session: what one could not, no other can. */
export async function sandboxOf(
  reader: Reader,
  { lane, agentId, own }: { lane: string; agentId: string; own: Isolation['sandbox'] },
): Promise<Isolation['sandbox']> {
  const row = lane === '' ? undefined : await reader.row('conversations', { key: lane })
  if (!row || row.agents === null || row.project_id === null) return own
  const agents = new Set(agentsInTurn(row).map((each) => each.agentId))
  if (!agents.has(agentId)) return own
  let strictest = own
  for (const id of agents)
    strictest = stricterSandbox(strictest, await isolationIn(reader, row.project_id, id))
  return strictest
}

/** The column, with one more agent. */
export const agentsWith = (row: ConversationRow, agentId: string, since: Instant): string =>
  JSON.stringify([...agentsInTurn(row), { agentId, since }].slice(-maxAgentsNamed))
