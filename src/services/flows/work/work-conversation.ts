/**
 * Stores prompts and answers of an agent's work as messages: in a role (`console:…`) or on a work
 * session's tasks (`work:…`). So they are listed, searched and exported like others. The calling
 * use case locks the conversation's stream.
 */
import { systemId } from '../../../domain/access/caller.ts'
import { cutDetail, type Detail, noticeOf, textOf } from '../../../domain/notices.ts'
import { maxContentChars } from '../../../protocol/conversations/message.ts'
import type { PromptPart } from '../../../protocol/turns/prompt.ts'
import type { Context, Tx } from '../../../store/store.ts'
import type { TurnRow } from '../../../store/turns/turns.ts'
import { conversationOfTurn, type NewMessage } from '../../conversations/conversation-record.ts'
import { appendMessage } from '../messages/append-message.ts'

/** Stores a turn's prompt as a message and returns its number. */
export async function storePrompt(tx: Tx, turn: TurnRow, context: Context): Promise<number> {
  const content = promptText(JSON.parse(turn.content))
  // A task's prompt was not written by a person.
  const sender =
    turn.about === 'task'
      ? ({ role: 'system', senderId: systemId } as const)
      : ({ role: 'user', senderId: turn.asked_by } as const)
  return storeMessage(
    tx,
    turn,
    { ...sender, content, receiverId: turn.agent_id, clientId: null },
    context,
  )
}

/**
 * Stores a turn's answer as a message, whose client id is the turn's. Stores a role's prompt first
 * if that is missing.
 */
export async function storeAnswer(
  tx: Tx,
  turn: TurnRow,
  text: Detail,
  context: Context,
): Promise<void> {
  if (textOf(text).trim() === '') return
  if (turn.about === 'prompt' && turn.through_seq === null) await storePrompt(tx, turn, context)
  const answer = {
    role: 'assistant',
    senderId: turn.agent_id,
    receiverId: null,
    clientId: turn.id,
  } as const
  const cut = cutDetail(text, maxContentChars)
  await storeMessage(tx, turn, { ...answer, content: textOf(cut), notice: noticeOf(cut) }, context)
}

/** A console's conversation belongs to its account from the first message on. */
async function storeMessage(
  tx: Tx,
  turn: TurnRow,
  message: NewMessage,
  context: Context,
): Promise<number> {
  const { project_id, agent_id, user_session_id: id } = turn
  const account_id =
    id === null ? null : ((await tx.row('user_sessions', { id }))?.account_id ?? turn.asked_by)
  const begun = { project_id, agent_id, account_id }
  const row = await conversationOfTurn(tx, turn.conversation_key, context.now, begun)
  return (await appendMessage(tx, row, message, context, { readers: [] })).seq
}

/** Pictures and files appear by name; the turn has their content. */
function promptText(parts: readonly PromptPart[]): string {
  const words = parts.map((part) =>
    part.type === 'text' ? part.text : `[${'name' in part ? part.name : part.type}]`,
  )
  return words.join('\n\n').slice(0, maxContentChars)
}
