/**
 * The conversation of an agent's work: in a role of a user session (`console:…`), or at the tasks of a work session (`work:…`). What is
 * said there are messages like everywhere, so it is listed, searched and exported by the same means; a console's are its account's and
 * the owner's alone. The use case names the conversation's stream.
 */
import { systemId } from '../../domain/access/who.ts'
import { maxContentChars } from '../../protocol/conversations/message.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import { selectUserSession } from '../../store/consoles/user-sessions.ts'
import type { Context, Tx } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'
import { appendMessage, type NewMessage, openConversation } from './conversation-record.ts'

/** What it was asked; the number of the message. */
export async function keepPrompt(tx: Tx, turn: TurnRow, context: Context): Promise<number> {
  const content = textOf(JSON.parse(turn.content))
  // A task's prompt is no person's word.
  const asked =
    turn.about === 'task'
      ? ({ role: 'system', senderId: systemId } as const)
      : ({ role: 'user', senderId: turn.asked_by } as const)
  return keep(tx, turn, { ...asked, content, receiverId: turn.agent_id, clientId: null }, context)
}

/** What it answered; the message is known by its turn. A prompt in a role that no message was made of stands before it. */
export async function keepAnswer(tx: Tx, turn: TurnRow, said: string, context: Context): Promise<void> {
  if (said.trim() === '') return
  if (turn.about === 'prompt' && turn.through_seq === null) await keepPrompt(tx, turn, context)
  const answer = { role: 'assistant', senderId: turn.agent_id, receiverId: null, clientId: turn.id } as const
  await keep(tx, turn, { ...answer, content: said.slice(0, maxContentChars) }, context)
}

/** A console's is its account's from its first message on, whoever said that. */
async function keep(tx: Tx, turn: TurnRow, message: NewMessage, context: Context): Promise<number> {
  const { project_id, agent_id, user_session_id: id } = turn
  const account_id = id === null ? null : ((await tx.first(selectUserSession, { id }))?.account_id ?? turn.asked_by)
  const begun = { project_id, agent_id, account_id }
  const { row } = await openConversation(tx, turn.conversation_key, context.now, begun)
  return (await appendMessage(tx, row, message, context, { readers: [] })).seq
}

/** Pictures and files are named; what they hold is in the turn. */
function textOf(parts: readonly PromptPart[]): string {
  const words = parts.map((part) => (part.type === 'text' ? part.text : `[${'name' in part ? part.name : part.type}]`))
  return words.join('\n\n').slice(0, maxContentChars)
}
