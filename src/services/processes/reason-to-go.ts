/** Why a process of an agent's chats must go before its next turn, although it could take it. */
import type { Detail } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { contextsAllowed } from '../../store/agents/agents.ts'
import { contextLimit, selectHasMoved } from '../../store/processes/launches.ts'
import type { ReadyLaunch } from '../../store/processes/ready-launches.ts'
import type { Reader } from '../../store/store.ts'

export async function reasonToGo(
  reader: Reader,
  { launchId, agentId }: Pick<ReadyLaunch, 'launchId' | 'agentId'>,
): Promise<Detail | undefined> {
  if (await reader.first(selectHasMoved, { launchId })) return statusNotice('projectMoved')
  // CX21: it began before that was found out.
  const isUnlimited = (await contextLimit(reader, launchId)) === null
  if (isUnlimited && (await contextsAllowed(reader, agentId)) !== null)
    return statusNotice('mixesConversations')
  return undefined
}
