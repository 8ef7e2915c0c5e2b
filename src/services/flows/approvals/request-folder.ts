/**
 * Asks whether a sandboxed agent may read a folder (SB9), as a permission of its turn. The next
 * process sees it.
 */

import { hash } from 'node:crypto'
import { isolationOf } from '../../../domain/agents/isolation.ts'
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import type { PermissionRequest } from '../../../protocol/turns/agent-update.ts'
import { selectAsked } from '../../../store/approvals/approvals.ts'
import { selectAssignment } from '../../../store/projects/projects.ts'
import { defineUseCase, type Reader } from '../../../store/store.ts'
import { selectRunningIn, type TurnRow } from '../../../store/turns/turns.ts'
import { liveAgentSession } from '../../agent-sessions/agent-session-record.ts'
import { folderLikeness } from '../../approvals/allowance-record.ts'
import { type ContextCaller, ownConversation } from '../../conversations/own-conversation.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { requestPermission } from './ask-person.ts'

const requestFor = (folder: string): PermissionRequest => {
  const input = JSON.stringify({ folder })
  const call = {
    toolCallId: `folder-${hash('md5', folder)}`,
    title: `Read ${folder} from the sandbox`,
    input,
  } as const
  const locations = [{ path: folder, line: null }]
  return {
    call: { ...call, toolKind: 'other', status: 'pending', locations, content: [], cut: false },
    options: [
      { optionId: 'allow', name: 'Allow for an hour', kind: 'allow_once' },
      { optionId: 'refuse', name: 'Keep refusing', kind: 'reject_once' },
    ],
    digest: hash('sha256', input),
    likeness: folderLikeness(folder),
  }
}

type FolderRequest = ContextCaller & { readonly folder: string }

/**
 * Asks once for each folder in a turn. Returns the approval. Refused where no turn of a sandboxed
 * agent runs.
 */
export const requestFolder = defineUseCase('request-folder', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: FolderRequest) => [home, projectStream(projectId)],
  run: async (tx, { folder, ...caller }, { now }): Promise<{ approvalId: number }> => {
    const { workSessionId } = await liveAgentSession(tx, caller)
    const { turn, launchId } = await askingTurn(tx, caller)
    lockTurn(tx, turn)
    const request = requestFor(folder)
    const askId = `${turn.id} ${request.call.toolCallId}`
    const by = { launchId, turnId: turn.id, askId }
    await requestPermission(tx, { turn, workSessionId }, { ...by, request, byPerson: true }, now)
    return { approvalId: (await tx.first(selectAsked, by))?.id ?? 0 }
  },
})

async function askingTurn(
  reader: Reader,
  caller: ContextCaller,
): Promise<{ turn: TurnRow; launchId: string }> {
  const { agentId, projectId } = caller
  const agent = await reader.row('agents', { id: agentId })
  const pair = { project_id: projectId, agent_id: agentId }
  const assigned = await reader.first(selectAssignment, pair)
  const { key } = await ownConversation(reader, caller)
  const turn = (await reader.all(selectRunningIn, { key })).find(
    (each) => each.agent_id === agentId && each.launch_id !== null,
  )
  const isSandboxed = agent && isolationOf(agent.isolation, assigned?.isolation).sandbox !== 'off'
  if (!turn || turn.launch_id === null || !isSandboxed)
    throw new Refusal('wrong_state', refusalText('noSandboxedTurn'))
  return { turn, launchId: turn.launch_id }
}
