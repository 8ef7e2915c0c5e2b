/** Conversations on any channel (CV). The key is URL-encoded in the path. */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Id, line, YesOrNo } from '../text.ts'
import { ConversationContext, ConversationTurn, ToolCallOutput } from '../turns/conversation-turn.ts'
import { ArchivePart, ArchiveQuery } from './archive.ts'
import { Conversation, Flags, ListedConversation } from './conversation.ts'
import { ConversationPiece, ImportedPiece, importLimit } from './import.ts'
import { Content, HistoryMessage, Message, MessageDraft, maxHistoryMessages } from './message.ts'
import { SearchAnswer, SearchQuery } from './search.ts'

/** What is wrong with a key, its length too, is said by domain/conversations/key.ts. */
const Key = z.string()
const conversation = z.object({ key: Key })

export const conversationRoutes = {
  listConversations: {
    method: 'GET',
    path: '/api/conversations',
    scope: 'read',
    summary: 'List the conversations, the one touched last first',
    query: PageQuery.extend({ channel: line(100).optional().describe('Only on this channel: web, agent, telegram …') }),
    status: 200,
    answer: pageOf(ListedConversation),
  },
  getOrCreateConversation: {
    method: 'POST',
    path: '/api/conversations',
    scope: 'write',
    summary: 'The conversation under a key, begun if it was not there',
    body: z.strictObject({ key: Key }),
    status: 200,
    alsoStatus: 201,
    answer: Conversation,
  },
  getConversation: {
    method: 'GET',
    path: '/api/conversations/{key}',
    scope: 'read',
    summary: 'Read a conversation without its messages',
    params: conversation,
    status: 200,
    answer: Conversation,
  },
  deleteConversation: {
    method: 'DELETE',
    path: '/api/conversations/{key}',
    scope: 'write',
    summary: 'Delete a conversation with its messages',
    params: conversation,
    status: 204,
  },
  getHistory: {
    method: 'GET',
    path: '/api/conversations/{key}/messages',
    scope: 'read',
    summary: 'What agents are handed of a conversation, oldest first',
    params: conversation,
    query: PageQuery.extend({ hidden: YesOrNo }),
    status: 200,
    answer: pageOf(Message),
  },
  addMessage: {
    method: 'POST',
    path: '/api/conversations/{key}/messages',
    scope: 'write',
    summary: 'Add a message; the same `clientId` again adds nothing',
    params: conversation,
    body: MessageDraft,
    status: 201,
    answer: Message,
  },
  setHistory: {
    method: 'PUT',
    path: '/api/conversations/{key}/messages',
    scope: 'write',
    summary: 'Put other messages in the place of what agents are handed; the archive keeps what was there',
    params: conversation,
    body: z.strictObject({ messages: z.array(HistoryMessage).max(maxHistoryMessages) }),
    status: 200,
    answer: Conversation,
  },
  readArchive: {
    method: 'GET',
    path: '/api/conversations/{key}/archive',
    scope: 'read',
    summary:
      'All that was said in a conversation, also what agents are no longer handed: the newest, or before, after, around a message',
    params: conversation,
    query: ArchiveQuery,
    status: 200,
    answer: ArchivePart,
  },
  setConversationSummary: {
    method: 'PUT',
    path: '/api/conversations/{key}/summary',
    scope: 'write',
    summary: 'Set the summary',
    params: conversation,
    body: z.strictObject({ summary: Content }),
    status: 200,
    answer: Conversation,
  },
  truncateHistory: {
    method: 'POST',
    path: '/api/conversations/{key}/truncate',
    scope: 'write',
    summary: 'Keep the newest messages for agents; 0 clears. The archive keeps all',
    params: conversation,
    body: z.strictObject({ keepLast: z.int().min(0) }),
    status: 200,
    answer: Conversation,
  },
  resetConversation: {
    method: 'POST',
    path: '/api/conversations/{key}/reset',
    scope: 'write',
    summary: 'Clear messages and summary; flags stay',
    params: conversation,
    status: 200,
    answer: Conversation,
  },
  importConversation: {
    method: 'POST',
    path: '/api/conversations/{key}/import',
    scope: 'write',
    summary: 'Take in a piece of a conversation from a file: what the archive does not have is added, nothing is changed',
    params: conversation,
    body: ConversationPiece,
    bodyLimit: importLimit,
    status: 200,
    answer: ImportedPiece,
  },
  saveConversation: {
    method: 'POST',
    path: '/api/conversations/{key}/save',
    scope: 'write',
    summary: "Write the conversation's file beside the database now; answers when it is on the disk",
    params: conversation,
    status: 200,
    answer: z.object({ key: z.string(), path: z.string() }),
  },
  listConversationTurns: {
    method: 'GET',
    path: '/api/conversations/{key}/turns',
    scope: 'read',
    summary: 'List the turns of a conversation, newest first: each prompt and what came of it',
    params: conversation,
    query: PageQuery,
    status: 200,
    answer: pageOf(ConversationTurn),
  },
  getConversationTurn: {
    method: 'GET',
    path: '/api/conversations/{key}/turns/{turnId}',
    scope: 'read',
    summary: 'Read one turn with all that came of it: text, thoughts, tool calls, plan, in order',
    params: conversation.extend({ turnId: Id }),
    status: 200,
    answer: z.object({ turn: ConversationTurn, items: z.array(z.looseObject({ kind: z.string() })) }),
  },
  getToolOutput: {
    method: 'GET',
    path: '/api/conversations/{key}/turns/{turnId}/output/{toolCallId}',
    scope: 'read',
    summary: 'Read what a tool call of a turn ran, and all of its output that was kept',
    params: conversation.extend({ turnId: Id, toolCallId: z.string().min(1).max(1000) }),
    status: 200,
    answer: ToolCallOutput,
  },
  beginTurn: {
    method: 'POST',
    path: '/api/conversations/{key}/begin',
    scope: 'write',
    summary: 'Begin now what waits until another conversation’s turn in the same folder ends, beside it',
    params: conversation,
    status: 200,
    answer: Conversation,
  },
  getConversationContext: {
    method: 'GET',
    path: '/api/conversations/{key}/context',
    scope: 'read',
    summary: 'What agents know of a conversation: their contexts, and what the one that lives was primed with',
    params: conversation,
    status: 200,
    answer: z.object({ primer: z.string().nullable(), contexts: z.array(ConversationContext) }),
  },
  getFlags: {
    method: 'GET',
    path: '/api/conversations/{key}/flags',
    scope: 'read',
    summary: 'Read the flags; those that are not set are left out',
    params: conversation,
    status: 200,
    answer: Flags,
  },
  setFlags: {
    method: 'PUT',
    path: '/api/conversations/{key}/flags',
    scope: 'write',
    summary: 'Replace the flags; unknown ones are kept',
    params: conversation,
    body: Flags,
    status: 200,
    answer: Flags,
  },
} as const satisfies Record<string, Route>

/** Search over all days of all conversations (DC5). */
export const searchRoutes = {
  search: {
    method: 'GET',
    path: '/api/search',
    scope: 'read',
    summary: 'Search the messages of all conversations and days, newest first; a page may be short of its limit and go on',
    query: SearchQuery,
    status: 200,
    answer: SearchAnswer,
  },
} as const satisfies Record<string, Route>
