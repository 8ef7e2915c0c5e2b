/** Conversations on any channel. */
import { because } from '../../../domain/because.ts'
import type { Who } from '../../../domain/credential/who.ts'
import { Refusal } from '../../../domain/errors.ts'
import type { conversationRoutes } from '../../../protocol/routes/conversations.ts'
import { addMessage } from '../../../services/add-message.ts'
import { beginTurn } from '../../../services/begin-turn.ts'
import { deleteConversation } from '../../../services/delete-conversation.ts'
import { accountOf } from '../../../services/find-user-session.ts'
import { getConversation } from '../../../services/get-conversation.ts'
import { getHistory } from '../../../services/get-history.ts'
import { getOrCreateConversation } from '../../../services/get-or-create-conversation.ts'
import { importConversation } from '../../../services/import-conversation.ts'
import { listConversationTurns, readTurnItems } from '../../../services/list-conversation-turns.ts'
import { listConversations } from '../../../services/list-conversations.ts'
import { readArchive } from '../../../services/read-archive.ts'
import { readContexts } from '../../../services/read-contexts.ts'
import { resetConversation } from '../../../services/reset-conversation.ts'
import { setConversationSummary } from '../../../services/set-conversation-summary.ts'
import { setFlags } from '../../../services/set-flags.ts'
import { setHistory } from '../../../services/set-history.ts'
import { truncateHistory } from '../../../services/truncate-history.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const conversationHandlers: HandlersOf<typeof conversationRoutes> = {
  listConversations: query(listConversations, ({ query: page, who }) => ({ ...page, accountId: accountOf(who) })),
  getOrCreateConversation: async ({ body, doors, receipt, reply }) => {
    const { conversation, created } = await doors.store.run(getOrCreateConversation, body, receipt)
    reply.code(created ? 201 : 200)
    return conversation
  },
  getConversation: query(getConversation, ({ params }) => params),
  deleteConversation: run(deleteConversation, ({ params, who }) => ({ ...params, by: who.id })),
  getHistory: query(getHistory, (call) => ({ ...call.query, ...call.params })),
  readArchive: query(readArchive, (call) => ({ ...call.query, ...call.params })),
  addMessage: run(addMessage, ({ body, params, who }) => {
    mustSpeakForOneself(who, params, [body])
    return { ...body, ...params, by: who.id }
  }),
  setHistory: run(setHistory, ({ body, params, who }) => {
    mustSpeakForOneself(who, params, body.messages)
    return { ...body, ...params, by: who.id }
  }),
  setConversationSummary: run(setConversationSummary, ({ body, params }) => ({ ...body, ...params })),
  truncateHistory: run(truncateHistory, ({ body, params }) => ({ ...body, ...params })),
  resetConversation: run(resetConversation, ({ params }) => params),
  importConversation: run(importConversation, ({ body, params, who }) => {
    mustSpeakForOneself(who, params, body.messages)
    return { ...body, ...params, by: who.id }
  }),
  saveConversation: async ({ params: { key }, doors }) => {
    await doors.store.query(getConversation, { key })
    return { key, path: await doors.files.saveConversation(key) }
  },
  listConversationTurns: query(listConversationTurns, (call) => ({ ...call.query, ...call.params })),
  getConversationTurn: query(readTurnItems, ({ params }) => params),
  beginTurn: run(beginTurn, ({ params, who }) => ({ ...params, by: who.id })),
  getConversationContext: query(readContexts, ({ params }) => params),
  getFlags: async ({ params, doors }) => (await doors.store.query(getConversation, params)).flags,
  setFlags: run(setFlags, ({ body, params }) => ({ ...params, flags: body })),
}

/** Where our own agents speak, or people are spoken to in their name; what other programs keep here is theirs. */
const agentsChannels = /^(?:web|agent|telegram):/

/** SE3: whoever puts words into an agent's mouth decides what it is believed to have said, and needs more than leave to write. */
function mustSpeakForOneself(who: Who, { key }: { key: string }, messages: readonly { role: string }[]): void {
  const spoken = agentsChannels.test(key) && messages.some(({ role }) => role !== 'user')
  if (!spoken || who.scopes.includes('manage')) return
  throw new Refusal('missing_scope', because('fieldNeedsScope', { field: 'role', scope: 'manage' }), {
    scope: 'manage',
    field: 'role',
  })
}
