/** Conversations on any channel (CV). The key is URL-encoded in the path. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Id, line, YesOrNo } from '../text.ts'
import { ConfigChange } from '../turns/config-change.ts'
import {
  ConversationContext,
  ConversationTurn,
  ListedTurn,
  ToolCallOutput,
  TurnItem,
} from '../turns/conversation-turn.ts'
import { TurnDiff } from '../worktrees/file-state.ts'
import { ArchivePart, ArchiveQuery } from './archive.ts'
import { ChatOptions } from './chat-options.ts'
import { Conversation, Flags, ListedConversation } from './conversation.ts'
import { ConversationPiece, ImportedPiece, importLimit } from './import.ts'
import { Content, HistoryMessage, Message, MessageDraft, maxHistoryMessages } from './message.ts'
import { SearchAnswer, SearchQuery } from './search.ts'

const one = '/api/conversations/{key}'

const Rewound = z.object({
  conversation: z.string(),
  operationId: z.string(),
  kept: z
    .array(z.string())
    .describe('Files that others changed while it was interrupted; they were left alone'),
})

export const conversationRoutes = {
  listConversations: route('GET /api/conversations', 'read', {
    ...listOf(ListedConversation, {
      channel: line(100).optional().describe('Only on this channel: web, agent, telegram …'),
      projectId: Id.optional(),
      live: YesOrNo.describe('Only those that an agent works in or is about to, with what it does'),
    }),
  })`
    List the conversations, the one touched last first`,
  getOrCreateConversation: route('POST /api/conversations', 'write', {
    body: z.strictObject({ key: z.string() }),
    alsoStatus: 201,
    answer: Conversation,
  })`
    The conversation under a key, begun if it was not there`,
  getConversation: route(`GET ${one}`, 'read', {
    answer: Conversation,
  })`Read a conversation without its messages`,
  changeConversation: route(`PATCH ${one}`, 'write', {
    body: z.strictObject({ title: line(200).nullable() }),
    answer: Conversation,
  })`
    Give a conversation a title; null: as its agent says, or the first message`,
  markSeen: route(`PUT ${one}/seen`, 'read', { body: z.strictObject({ seq: z.int().min(0) }) })`
    The caller has read a conversation up to a message; never goes back`,
  deleteConversation: route(`DELETE ${one}`, 'write')`Delete a conversation with its messages`,
  getHistory: route(`GET ${one}/messages`, 'read', listOf(Message, { hidden: YesOrNo }))`
    What agents are handed of a conversation, oldest first`,
  addMessage: route(`POST ${one}/messages`, 'write', {
    body: MessageDraft,
    status: 201,
    answer: Message,
  })`
    Add a message; the same \`clientId\` again adds nothing`,
  withdrawMessage: route(`POST ${one}/messages/{seq}/withdraw`, 'write', {
    answer: z.object({ seq: z.int() }),
  })`
    Withdraw a message that its agent was not given yet`,
  setHistory: route(`PUT ${one}/messages`, 'write', {
    body: z.strictObject({ messages: z.array(HistoryMessage).max(maxHistoryMessages) }),
    answer: Conversation,
  })`
    Put other messages in the place of what agents are handed; the archive keeps what was there`,
  readArchive: route(`GET ${one}/archive`, 'read', { query: ArchiveQuery, answer: ArchivePart })`
    All that was said in a conversation, also what agents are no longer handed: the newest, or before, after, around a message`,
  setConversationSummary: route(`PUT ${one}/summary`, 'write', {
    body: z.strictObject({ summary: Content }),
    answer: Conversation,
  })`
    Set the summary`,
  truncateHistory: route(`POST ${one}/truncate`, 'write', {
    body: z.strictObject({ keepLast: z.int().min(0) }),
    answer: Conversation,
  })`
    Keep the newest messages for agents; 0 clears. The archive keeps all`,
  resetConversation: route(`POST ${one}/reset`, 'write', {
    answer: Conversation,
  })`Clear messages and summary; flags stay`,
  importConversation: route(`POST ${one}/import`, 'write', {
    body: ConversationPiece,
    bodyLimit: importLimit,
    answer: ImportedPiece,
  })`
    Take in a piece of a conversation from a file: what the archive does not have is added, nothing is changed`,
  saveConversation: route(`POST ${one}/save`, 'write', {
    answer: z.object({ key: z.string(), path: z.string() }),
  })`
    Write the conversation's file beside the database now; answers when it is on the disk`,
  listConversationTurns: route(`GET ${one}/turns`, 'read', listOf(ListedTurn, { items: YesOrNo }))`
    List the turns of a conversation, newest first: each prompt and what came of it; with \`items=true\` all of it, as many as fit`,
  getConversationTurn: route(`GET ${one}/turns/{turnId}`, 'read', {
    answer: z.object({ turn: ConversationTurn, items: z.array(TurnItem) }),
  })`
    Read one turn with all that came of it: text, thoughts, tool calls, plan, in order`,
  findFiles: route(`GET ${one}/files`, 'read', {
    query: z.object({ q: line(200).or(z.literal('')) }),
    answer: z.object({ items: z.array(z.string()) }),
  })`
    Find files of the workplace of a conversation by a part of their path, at most 20`,
  stopTurns: route(`POST ${one}/stop`, 'write', { answer: z.object({ stopped: z.int() }) })`
    Stop what runs in a chat, a task or a role; what was said so far stays`,
  getToolOutput: route(`GET ${one}/turns/{turnId}/output/{toolCallId}`, 'read', {
    answer: ToolCallOutput,
  })`
    Read what a tool call of a turn ran, and all of its output that was kept`,
  getTurnDiff: route(`GET ${one}/turns/{turnId}/diff`, 'read', {
    query: z.object({ path: z.string().max(4096).optional(), since: Id.optional() }),
    answer: TurnDiff,
  })`
    Read what a turn changed in the files, to 2 MiB; \`path\` for a single file, \`since\` an earlier turn for everything from before that`,
  rewindToTurn: route(`POST ${one}/turns/{turnId}/rewind`, 'write', {
    body: z.strictObject({ to: z.enum(['before', 'after']), confirm: line(200).optional() }),
    answer: Rewound.extend({ turnId: z.string(), to: z.enum(['before', 'after']) }),
  })`
    Bring files, conversation and the agent’s context back to before or after a turn. \`would_lose\` shows what others changed; go on with its \`digest\` as \`confirm\``,
  undoRewind: route(`POST ${one}/rewind/undo`, 'write', {
    body: z.strictObject({ confirm: line(200).optional() }),
    answer: Rewound,
  })`
    Undo the last rewind of a conversation, while nothing was said since`,
  forkFromTurn: route(`POST ${one}/turns/{turnId}/fork`, 'write', {
    body: z.strictObject({ agentId: Id.optional() }),
    status: 201,
    answer: z.object({
      conversation: z.string().describe('The key of the new conversation'),
      workplace: z.string().describe('The folder of its files'),
      branch: z.string(),
    }),
  })`
    Begin a new conversation from a turn, in a new worktree with the files as they were after it, with the same or another agent`,
  beginTurn: route(`POST ${one}/begin`, 'write', { answer: Conversation })`
    Begin now what waits until another conversation’s turn in the same folder ends, beside it`,
  getConversationContext: route(`GET ${one}/context`, 'read', {
    answer: z.object({ primer: z.string().nullable(), contexts: z.array(ConversationContext) }),
  })`
    What agents know of a conversation: their contexts, and what the one that lives was primed with`,
  getConversationOptions: route(`GET ${one}/options`, 'read', { answer: ChatOptions })`
    Read the modes, models and other options of a conversation’s agent; none until it was opened once anywhere`,
  setConversationOption: route(`POST ${one}/options`, 'approve', {
    body: ConfigChange,
    answer: ChatOptions,
  })`
    Set the mode, model or another option of a conversation’s agent, in a chat or a role: at once where it is open, else with its next turn. \`agent:configured\` reports the result`,
  getFlags: route(`GET ${one}/flags`, 'read', {
    answer: Flags,
  })`Read the flags; those that are not set are left out`,
  setFlags: route(`PUT ${one}/flags`, 'write', {
    body: Flags,
    answer: Flags,
  })`Replace the flags; unknown ones are kept`,
}

export const searchRoutes = {
  search: route('GET /api/search', 'read', { query: SearchQuery, answer: SearchAnswer })`
    Search the messages of all conversations and days, newest first; a page may be short of its limit and go on`,
}
