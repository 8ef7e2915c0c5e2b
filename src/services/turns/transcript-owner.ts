/**
 * Whose what an agent writes about a conversation is (SB12): a person's where the conversation is
 * that person's alone, as a console is; otherwise the project's, whose people share it. A question
 * between agents belongs to who has asked.
 */
import type { TranscriptOwner } from '../../protocol/processes/link.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import type { Reader } from '../../store/store.ts'
import { selectAcpSessionsOf } from '../../store/turns/contexts.ts'

/** The newest of an owner, of one agent: what a folder of its own is begun with. */
const maxSessions = 500

interface Asked {
  readonly projectId: string
  readonly key: string
  readonly originKey: string
}

export async function transcriptOwner(
  reader: Reader,
  { projectId, key, originKey }: Asked,
): Promise<string> {
  for (const each of [originKey, key]) {
    const { userSessionId: id } = await identityOf(reader, each)
    const accountId =
      (await reader.row('conversations', { key: each }))?.account_id ??
      (id === null ? undefined : (await reader.row('user_sessions', { id }))?.account_id)
    if (accountId) return personal(accountId)
  }
  return shared(projectId)
}

const personal = (accountId: string): string => `person-${accountId}`
const shared = (projectId: string): string => `project-${projectId}`

/** With the ACP sessions that its conversations name. */
export async function ownerWithSessions(
  reader: Reader,
  owner: string,
  agentId: string,
): Promise<TranscriptOwner> {
  const rows = await reader.all(selectAcpSessionsOf, { agentId, limit: maxSessions * 4 })
  const own = rows.filter(
    ({ account_id, project_id }) =>
      owner === (account_id ? personal(account_id) : shared(project_id)),
  )
  return { id: owner, acpSessions: own.flatMap(({ id }) => id ?? []).slice(0, maxSessions) }
}
