/** Conversations on any channel. */

import type { Who } from '../../domain/access/who.ts'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { conversationRoutes, searchRoutes } from '../../protocol/conversations/routes.ts'
import { accountOf } from '../../services/consoles/queries.ts'
import { addMessage } from '../../services/conversations/add-message.ts'
import { deleteConversation } from '../../services/conversations/delete-conversation.ts'
import { getOrCreateConversation } from '../../services/conversations/get-or-create-conversation.ts'
import { importConversation } from '../../services/conversations/import-conversation.ts'
import { getConversation, getHistory, listConversations, readArchive } from '../../services/conversations/queries.ts'
import { resetConversation } from '../../services/conversations/reset-conversation.ts'
import { searchMessages } from '../../services/conversations/search-messages.ts'
import { setFlags } from '../../services/conversations/set-flags.ts'
import { setHistory } from '../../services/conversations/set-history.ts'
import { setConversationSummary } from '../../services/conversations/set-summary.ts'
import { truncateHistory } from '../../services/conversations/truncate-history.ts'
import { beginTurn } from '../../services/turns/begin-turn.ts'
import { listConversationTurns, readContexts, readTurnItems } from '../../services/turns/queries.ts'
import { type HandlersOf, query, run } from '../http/handler.ts'

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
  throw new Refusal('missing_scope', refusalText('fieldNeedsScope', { field: 'role', scope: 'manage' }), {
    scope: 'manage',
    field: 'role',
  })
}

/** Search over all conversations. */
export const searchHandlers: HandlersOf<typeof searchRoutes> = {
  search: async ({ query, doors, who }) => {
    const behind = await doors.search.catchUp()
    return { ...(await doors.store.query(searchMessages, { ...query, accountId: accountOf(who) })), behind }
  },
}
