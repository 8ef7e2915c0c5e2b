/**
 * Takes the press of a button in a chat (CN7). It counts once, from a paired person who may decide
 * this, in the chat it was sent to, before its time is over. Everybody else learns in a line that
 * only they see why it does not.
 */
import { type Caller, ownerId } from '../../../domain/access/caller.ts'
import { personScopes, scopesOf } from '../../../domain/access/scopes.ts'
import { isVisible, viewerOf } from '../../../domain/access/visibility.ts'
import { askWords } from '../../../domain/channels/ask-texts.ts'
import type { ChatAddress } from '../../../domain/channels/key.ts'
import { Refusal } from '../../../domain/errors.ts'
import { hashSecret } from '../../../platform/secrets/secrets.ts'
import { selectChat } from '../../../store/channels/channels.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { ownerOf } from '../../access/owners.ts'
import { type ButtonChoice, closeAsk } from '../../channels/ask-record.ts'
import { chatStream, isServed } from '../../channels/channel-chat-record.ts'
import { answerPermission, answerQuestion } from '../approvals/answer-permission.ts'
import { decideApproval } from '../approvals/request-approval.ts'
import { beginTurn } from '../turns/begin-turn.ts'

interface Press extends ChatAddress {
  /** Who pressed, as the platform knows them. */
  readonly userId: string
  readonly token: string
}

/** `said`: for the presser alone; null when what was pressed says it. */
interface Pressed {
  readonly counted: boolean
  readonly said: string | null
}

export const pressButton = defineUseCase('press-button', {
  scope: 'server',
  on: 'nobody',
  streams: (input: Press) => [chatStream(input)],
  run: async (tx, { userId, token, ...place }, context): Promise<Pressed> => {
    const chat = await tx.first(selectChat, place)
    const words = askWords(chat?.language ?? 'en')
    const refused = (answer: string): Pressed => ({ counted: false, said: answer })
    const button = await tx.row('channel_buttons', { hash: hashSecret(token) })
    const isThere = button?.channel === place.channel && button.chat_id === place.chatId
    if (!button || !isThere || button.expires_at <= context.now) return refused(words.notValid)
    if (!chat || !(await isServed(tx, chat))) return refused(words.notValid)
    const about = { channel: place.channel, user_id: userId }
    const person = await tx.row('channel_people', about)
    if (!person) return refused(words.notYours)
    const caller = await callerOf(tx, person.person_id)
    const choice = JSON.parse(button.choice) as ButtonChoice
    if (!caller || !(await mayDecide(tx, caller, choice))) return refused(words.mayNot)
    try {
      await carryOut(tx, choice, caller.id, context)
    } catch (error) {
      // Decided elsewhere meanwhile, or over: nothing was written.
      if (error instanceof Refusal) return refused(error.message)
      throw error
    }
    await closeAsk(tx, button.about, context.now)
    return { counted: true, said: null }
  },
})

/** A person, with the rights they have now. */
async function callerOf(reader: Reader, id: string): Promise<Caller | undefined> {
  if (id === ownerId) return { id, scopes: personScopes }
  const row = await reader.row('people', { id })
  return row && { id, scopes: scopesOf(row.role) }
}

async function mayDecide(reader: Reader, caller: Caller, choice: ButtonChoice): Promise<boolean> {
  if (choice.is === 'begin') return caller.scopes.includes('write')
  if (!caller.scopes.includes('approve')) return false
  const owner = await ownerOf(reader, { of: 'approval', id: choice.approvalId })
  return isVisible(viewerOf(caller), owner)
}

async function carryOut(tx: Tx, choice: ButtonChoice, by: string, context: Context): Promise<void> {
  switch (choice.is) {
    case 'begin':
      await beginTurn.run(tx, { key: choice.key, by }, context)
      return
    case 'verdict': {
      const { approvalId, status } = choice
      await decideApproval.run(tx, { approvalId, status, by }, context)
      return
    }
    case 'option': {
      const { approvalId, optionId } = choice
      await answerPermission.run(tx, { approvalId, choice: { optionId }, by }, context)
      return
    }
    case 'answer': {
      const { approvalId, action, content } = choice
      await answerQuestion.run(tx, { approvalId, answer: { action, content }, by }, context)
    }
  }
}
