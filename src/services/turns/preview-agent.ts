/**
 * Tells what would be if another agent went on in a session, before anybody chooses it (SN21): what
 * it would be told, and about how many tokens that is. Changes nothing.
 */
import { estimateTokens } from '../../domain/conversations/messages.ts'
import { Refusal } from '../../domain/errors.ts'
import { textOf } from '../../domain/notices.ts'
import { continueBudgetTokens } from '../../domain/turns/prompts.ts'
import type { NextAgentPreview } from '../../protocol/conversations/next-agent.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { selectUnreadIn } from '../../store/conversations/unread.ts'
import { newRow } from '../../store/rows.ts'
import { type Context, defineQuery, type Reader } from '../../store/store.ts'
import { selectContextOf } from '../../store/turns/contexts.ts'
import { selectRunningIn } from '../../store/turns/turns.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import {
  type AgentChat,
  agentsWith,
  checkCanGoOn,
  isThread,
  requireAgentChat,
} from '../conversations/next-agent.ts'
import { modelsOf } from './chat-options.ts'
import { tellable } from './primer-record.ts'

/** Waiting messages that are counted. */
const maxCounted = 1000

interface Asked {
  readonly key: string
  /** Left out: the one that has it. */
  readonly agentId?: string | undefined
}

export const previewAgent = defineQuery('preview-agent', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key, ...asked }: Asked, { now }): Promise<NextAgentPreview> => {
    streamOfKey(key)
    const row = requireAgentChat(await existingConversation(reader, key))
    const agentId = asked.agentId ?? row.agent_id
    const isSame = agentId === row.agent_id
    const queued = await waitingIn(reader, row)
    const reads = isSame ? nothing : await readBy(reader, row, agentId, now)
    return {
      agentId,
      beginsAnother: !isSame && !isThread(row),
      ...reads,
      budgetTokens: continueBudgetTokens,
      running: (await reader.all(selectRunningIn, { key })).length > 0,
      queued: queued.length,
      refused: await whyNot(reader, row, agentId),
      ...(await modelsOf(reader, { ...row, agent_id: agentId })),
    }
  },
})

const nothing = { reads: 'nothing', tokens: 0, messages: 0, leftOut: 0 } as const

const waitingIn = (reader: Reader, { agent_id: agentId, project_id: projectId, key }: AgentChat) =>
  reader.all(selectUnreadIn, { agentId, projectId, key, limit: maxCounted })

async function whyNot(reader: Reader, row: AgentChat, agentId: string): Promise<string | null> {
  try {
    await checkCanGoOn(reader, row, agentId)
    return null
  } catch (error) {
    if (error instanceof Refusal) return textOf(error.detail)
    throw error
  }
}

/** As the row would be then. */
const passedTo = (row: ConversationRow, agentId: string, now: Context['now']): ConversationRow => ({
  ...row,
  agent_id: agentId,
  agents: agentsWith(row, agentId, now),
})

async function readBy(reader: Reader, row: AgentChat, agentId: string, now: Context['now']) {
  const { key, project_id: projectId } = row
  const found = isThread(row)
    ? await reader.first(selectContextOf, { agentId, projectId, key, originKey: '' })
    : undefined
  const current = found?.generation === row.generation ? found : undefined
  const context =
    current ??
    newRow('contexts', {
      id: '',
      agent_id: agentId,
      project_id: projectId,
      conversation_key: key,
      origin_key: '',
      generation: row.generation,
      created_at: now,
    })
  const promptSeqs = new Set((await waitingIn(reader, row)).map(({ seq }) => seq))
  const as = passedTo(row, agentId, now)
  const turn = { task_id: null, retry_of: null }
  const { primer, news } = await tellable(reader, context, { turn, promptSeqs, as }, now)
  const goesOn = current?.acp_session_id != null
  const { text, messages, leftOut } = goesOn ? news : primer
  if (messages + leftOut === 0) return nothing
  const tokens = estimateTokens(text ?? '')
  if (goesOn) return { reads: 'news', tokens, messages, leftOut } as const
  const reads = leftOut === 0 && row.summary === '' ? 'whole' : 'newest'
  return { reads, tokens, messages, leftOut } as const
}
