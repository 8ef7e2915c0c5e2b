/** What an agent is to be told in a turn that runs: asked for by its coordinator after a reconnect. */
import { Refusal } from '../domain/errors.ts'
import type { TurnOrder } from '../protocol/link-turns.ts'
import { selectContext } from '../store/queries/contexts.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { contextLimit } from '../store/queries/ready-launches.ts'
import { selectTurn, type TurnRow } from '../store/queries/turns.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { workspaceFor } from './conversation-workplace.ts'
import { type InEpoch, inForce } from './coordinator-epoch.ts'
import { primingOfTurn } from './start-in-role.ts'

type Asked = InEpoch & Pick<TurnOrder, 'launchId' | 'turnId'>

export const findPrompt = defineQuery({
  name: 'find-prompt',
  run: async (reader, { launchId, turnId, ...from }: Asked): Promise<TurnOrder> => {
    await inForce(reader, from)
    const launch = await findLaunch(reader, launchId)
    const turn = await reader.first(selectTurn, { id: turnId })
    const isIts = launch?.coordinatorId === from.coordinatorId && turn?.launch_id === launchId && turn.state === 'running'
    if (!isIts) throw new Refusal('not_found', `The turn ${turnId} is over`, { turnId })
    return { launchId, turnId, ...(await orderOfTurn(reader, turn)) }
  },
})

/** As it was ordered: with its primer, and with how to open its context while that is not open. */
async function orderOfTurn(reader: Reader, turn: TurnRow): Promise<Pick<TurnOrder, 'content' | 'context'>> {
  const parts = JSON.parse(turn.content)
  const content = turn.primer === null ? parts : [{ type: 'text', text: turn.primer }, ...parts]
  const limit = await contextLimit(reader, turn.launch_id ?? '')
  const row = turn.context_id === null || limit !== null ? undefined : await reader.first(selectContext, { id: turn.context_id })
  if (!row) return { content }
  if (row.state === 'open') return { content, context: { contextId: row.id, open: null } }
  const { primer, news } = await primingOfTurn(reader, row, turn, row.created_at)
  const { project_id: projectId, conversation_key: key, origin_key: originKey } = row
  const place = turn.role_agent_id === null ? { workspace: await workspaceFor(reader, { projectId, key, originKey }) } : {}
  const open = { acpSessionId: row.acp_session_id, lastOpenedAt: row.opened_at, primer, news, ...place }
  return { content, context: { contextId: row.id, open } }
}
