/** Asks whether a sandboxed agent may read a folder (SB9), as a permission of its turn. The next process sees it. */
import { hash } from 'node:crypto'
import { isolationOf } from '../../domain/agents/isolation.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { PermissionRequest } from '../../protocol/turns/agent-update.ts'
import { selectAsked } from '../../store/approvals/approvals.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import { selectAssignment } from '../../store/projects/projects.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { selectRunningIn } from '../../store/turns/turns.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import { folderLikeness } from '../approvals/allowance-record.ts'
import { permissionStreams } from '../approvals/approval-record.ts'
import { type ContextCaller, ownConversation } from '../conversations/own-conversation.ts'
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

/** Finds the turn that asks, and what it locks. Refused where no turn of a sandboxed agent runs. */
export const findAskingTurn = defineQuery(async (reader, caller: ContextCaller) => {
  const { agentId, projectId } = await liveAgentSession(reader, caller)
  const agent = await reader.row('agents', { id: agentId })
  const assigned = await reader.first(selectAssignment, {
    project_id: projectId,
    agent_id: agentId,
  })
  const { key } = await ownConversation(reader, caller)
  const turn = (await reader.all(selectRunningIn, { key })).find(
    (each) => each.agent_id === agentId && each.launch_id !== null,
  )
  const launch = turn?.launch_id ? await findLaunch(reader, turn.launch_id) : undefined
  if (
    !agent ||
    !turn ||
    !launch ||
    isolationOf(agent.isolation, assigned?.isolation).sandbox === 'off'
  )
    throw new Refusal('wrong_state', refusalText('noSandboxedTurn'))
  const { user_session_id: userSessionId, conversation_key } = turn
  const conversationKey = userSessionId === null ? conversation_key : null
  return {
    turnId: turn.id,
    launchId: launch.id,
    projectId,
    userSessionId,
    coordinatorId: launch.coordinatorId,
    conversationKey,
  }
})

type AskingTurn = Awaited<ReturnType<typeof findAskingTurn.run>>

/** Asks once for each folder in a turn. Returns the approval. */
export const requestFolder = defineUseCase('request-folder', {
  streams: (input: AskingTurn & ContextCaller & { readonly folder: string }) =>
    permissionStreams({ ...input, approvalId: 0 }),
  run: async (
    tx,
    { turnId, launchId, folder, ...caller },
    { now },
  ): Promise<{ approvalId: number }> => {
    const { workSessionId } = await liveAgentSession(tx, caller)
    const turn = await tx.row('turns', { id: turnId })
    if (turn?.state !== 'running') throw new Refusal('wrong_state', refusalText('noSandboxedTurn'))
    const request = requestFor(folder)
    const asked = { launchId, turnId, askId: `${turnId} ${request.call.toolCallId}` }
    await requestPermission(tx, { turn, workSessionId }, { ...asked, request, byPerson: true }, now)
    return { approvalId: (await tx.first(selectAsked, asked))?.id ?? 0 }
  },
})
