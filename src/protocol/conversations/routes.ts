/** Conversations on any channel (CV). The key is URL-encoded in the path. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Id, line, Time, YesOrNo } from '../text.ts'
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
import {
  Content,
  HistoryMessage,
  Message,
  MessageDraft,
  MessageMove,
  maxHistoryMessages,
} from './message.ts'
import { NextAgent, NextAgentPreview } from './next-agent.ts'
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
  listConversations: route({
    method: 'GET',
    path: '/api/conversations',
    summary: 'List the conversations, the newest last turn first',
    ...listOf(ListedConversation, {
      channel: line(100).optional().describe('Only on this channel: web, agent, telegram …'),
      projectId: Id.optional(),
      agentId: Id.optional().describe('Only those that this agent answers at present'),
      archived: YesOrNo.describe('Those that the caller has archived, instead of the others'),
      live: YesOrNo.describe('Only those that an agent works in or is about to, with what it does'),
    }),
  }),
  getOrCreateConversation: route({
    method: 'POST',
    path: '/api/conversations',
    summary: 'Read the conversation with a key; it is created if it does not exist',
    body: z.strictObject({ key: z.string() }),
    alsoStatus: 201,
    answer: Conversation,
  }),
  getConversation: route({
    method: 'GET',
    path: one,
    summary: 'Read a conversation without its messages',
    answer: Conversation,
  }),
  changeConversation: route({
    method: 'PATCH',
    path: one,
    summary:
      'Give a conversation a title (null: as its agent says, or the first message), or archive ' +
      'it for the caller; give one that was taken in from an agent’s files a project, or share it',
    body: z.strictObject({
      title: line(200).nullable().optional(),
      archived: z
        .boolean()
        .optional()
        .describe('Out of the caller’s lists until something is said in it; for nobody else'),
      projectId: Id.optional().describe('Once, while a session that was taken in has none'),
      shared: z
        .boolean()
        .optional()
        .describe('true, once, by its person: others see what was taken in as any session'),
    }),
    answer: Conversation,
  }),
  markSeen: route({
    method: 'PUT',
    path: `${one}/seen`,
    summary: 'Record that the caller has read a conversation up to a message; never goes back',
    body: z.strictObject({
      seq: z.int().min(0),
      settled: z.boolean().optional().describe('Dismisses and clears everything up to it, too'),
    }),
  }),
  previewAgent: route({
    method: 'GET',
    path: `${one}/agent`,
    summary:
      'What would be if this agent went on with a session: what it is told and about how many ' +
      'tokens, whether another session is begun, and why it cannot',
    query: z.object({ agentId: Id.optional().describe('Left out: the one that has it') }),
    answer: NextAgentPreview,
  }),
  continueWithAgent: route({
    method: 'POST',
    path: `${one}/agent`,
    summary:
      'Go on with another agent, or another model of the same one, in the same files. What waits ' +
      'goes to it. In an agent’s first session 201 with a new session, which that names ' +
      '(`continuedAs`). 409 while a turn runs',
    body: NextAgent,
    alsoStatus: 201,
    answer: Conversation,
  }),
  closeConversation: route({
    method: 'POST',
    path: `${one}/close`,
    summary:
      'Close a session for everybody: its process ends and its place goes, when nothing can be ' +
      'lost; otherwise `would_lose`, and its `digest` confirms. A message opens it again',
    body: z.strictObject({ confirm: line(200).optional() }).optional(),
    answer: Conversation,
  }),
  deleteConversation: route({
    method: 'DELETE',
    path: one,
    summary: 'Delete a conversation with its messages',
  }),
  getHistory: route({
    method: 'GET',
    path: `${one}/messages`,
    summary: 'List the messages that agents are given of a conversation, oldest first',
    ...listOf(Message, { hidden: YesOrNo }),
  }),
  addMessage: route({
    method: 'POST',
    path: `${one}/messages`,
    summary: 'Add a message; the same `clientId` again adds nothing',
    body: MessageDraft,
    status: 201,
    answer: Message,
  }),
  withdrawMessage: route({
    method: 'POST',
    path: `${one}/messages/{seq}/withdraw`,
    summary: 'Withdraw a message that its agent was not given yet',
    answer: z.object({ seq: z.int() }),
  }),
  moveMessage: route({
    method: 'POST',
    path: `${one}/messages/{seq}/move`,
    summary:
      'Move a message that its agent was not given yet before another one (null: behind all), or ' +
      'have it answered next, which also lets go on what is paused',
    body: MessageMove,
    answer: z.object({ seqs: z.array(z.int()).describe('What waits now, in order') }),
  }),
  setHistory: route({
    method: 'PUT',
    path: `${one}/messages`,
    summary: 'Replace the messages that agents are given; the archive keeps the earlier ones',
    body: z.strictObject({ messages: z.array(HistoryMessage).max(maxHistoryMessages) }),
    answer: Conversation,
  }),
  readArchive: route({
    method: 'GET',
    path: `${one}/archive`,
    summary:
      'Read everything that was said in a conversation, including what agents are no ' +
      'longer given: the newest messages, or those before, after or around a message',
    query: ArchiveQuery,
    answer: ArchivePart,
  }),
  setConversationSummary: route({
    method: 'PUT',
    path: `${one}/summary`,
    summary: 'Set the summary',
    body: z.strictObject({ summary: Content }),
    answer: Conversation,
  }),
  truncateHistory: route({
    method: 'POST',
    path: `${one}/truncate`,
    summary: 'Keep the newest messages for agents; 0 clears. The archive keeps all',
    body: z.strictObject({ keepLast: z.int().min(0) }),
    answer: Conversation,
  }),
  resetConversation: route({
    method: 'POST',
    path: `${one}/reset`,
    summary: 'Clear messages and summary; flags stay',
    answer: Conversation,
  }),
  importConversation: route({
    method: 'POST',
    path: `${one}/import`,
    summary:
      'Import a piece of a conversation from a file: messages missing in the archive are ' +
      'added, nothing is changed',
    body: ConversationPiece,
    bodyLimit: importLimit,
    answer: ImportedPiece,
  }),
  saveConversation: route({
    method: 'POST',
    path: `${one}/save`,
    summary:
      "Write the conversation's file beside the database now; answers when it is on the " + 'disk',
    answer: z.object({ key: z.string(), path: z.string() }),
  }),
  getThread: route({
    method: 'GET',
    path: `${one}/thread`,
    summary:
      'Read a session whole: its newest messages and turns with everything that happened, what ' +
      'waits and what is asked, its limit; with the cursor to follow its streams from',
    answer: z.object({
      cursor: z.string().describe('For `GET /api/events`, over `streams`'),
      heads: z
        .record(z.string(), z.int())
        .describe('Its streams, each with the number of the last event that `state` contains'),
      state: z
        .looseObject({})
        .describe('Changed by the events of its streams as `fold` in src/protocol/threads does'),
    }),
  }),
  listConversationTurns: route({
    method: 'GET',
    path: `${one}/turns`,
    summary:
      'List the turns of a conversation, newest first: each prompt and its result; with ' +
      '`items=true` everything that happened, as much as fits',
    ...listOf(ListedTurn, { items: YesOrNo }),
  }),
  getConversationTurn: route({
    method: 'GET',
    path: `${one}/turns/{turnId}`,
    summary:
      'Read one turn with everything that happened in it, in order: text, thoughts, tool ' +
      'calls, plan',
    answer: z.object({ turn: ConversationTurn, items: z.array(TurnItem) }),
  }),
  findFiles: route({
    method: 'GET',
    path: `${one}/files`,
    summary: 'Find files of the workplace of a conversation by a part of their path, at most 20',
    query: z.object({ q: line(200).or(z.literal('')) }),
    answer: z.object({ items: z.array(z.string()) }),
  }),
  stopTurns: route({
    method: 'POST',
    path: `${one}/stop`,
    summary: 'Stop the running turn of a chat, a task or a role; what was said so far stays',
    answer: z.object({ stopped: z.int() }),
  }),
  goOnInConversation: route({
    method: 'POST',
    path: `${one}/go-on`,
    summary:
      'Let a session go on: what is paused, because its turn was stopped or has failed, begins; ' +
      'at the vendor’s limit, whether its agent is told again by itself what it could not answer',
    body: z
      .strictObject({
        goOn: z.boolean().optional().describe('Without it, and without a body: true'),
      })
      .optional(),
    answer: z.object({
      until: Time.nullable().describe('When the limit is over; null: it was paused'),
      goesOn: z.boolean(),
    }),
  }),
  getToolOutput: route({
    method: 'GET',
    path: `${one}/turns/{turnId}/output/{toolCallId}`,
    summary: 'Read what a tool call of a turn ran, and the stored part of its output',
    answer: ToolCallOutput,
  }),
  getTurnDiff: route({
    method: 'GET',
    path: `${one}/turns/{turnId}/diff`,
    summary:
      'Read what a turn changed in the files, to 2 MiB; `path` for a single file, `since` ' +
      'an earlier turn for everything from before that',
    query: z.object({ path: z.string().max(4096).optional(), since: Id.optional() }),
    answer: TurnDiff,
  }),
  rewindToTurn: route({
    method: 'POST',
    path: `${one}/turns/{turnId}/rewind`,
    summary:
      'Restore files, conversation and the agent’s context to before or after a turn. ' +
      '`would_lose` shows what others changed; continue with its `digest` as `confirm`',
    body: z.strictObject({ to: z.enum(['before', 'after']), confirm: line(200).optional() }),
    answer: Rewound.extend({ turnId: z.string(), to: z.enum(['before', 'after']) }),
  }),
  undoRewind: route({
    method: 'POST',
    path: `${one}/rewind/undo`,
    summary: 'Undo the last rewind of a conversation, as long as no message followed it',
    body: z.strictObject({ confirm: line(200).optional() }),
    answer: Rewound,
  }),
  forkFromTurn: route({
    method: 'POST',
    path: `${one}/turns/{turnId}/fork`,
    summary:
      'Create a new conversation from a turn, in a new worktree with the files as they ' +
      'were after it, with the same or another agent',
    body: z.strictObject({ agentId: Id.optional() }),
    status: 201,
    answer: z.object({
      conversation: z.string().describe('The key of the new conversation'),
      workplace: z.string().describe('The folder of its files'),
      branch: z.string(),
    }),
  }),
  beginTurn: route({
    method: 'POST',
    path: `${one}/begin`,
    summary: 'Start now what waits for another conversation’s turn in the same folder, beside it',
    answer: Conversation,
  }),
  getConversationContext: route({
    method: 'GET',
    path: `${one}/context`,
    summary:
      'Read what agents know of a conversation: their contexts, and what the current one ' +
      'was primed with',
    answer: z.object({ primer: z.string().nullable(), contexts: z.array(ConversationContext) }),
  }),
  getConversationOptions: route({
    method: 'GET',
    path: `${one}/options`,
    summary:
      'Read the modes, models and other options of a conversation’s agent; none until it ' +
      'was opened once anywhere',
    answer: ChatOptions,
  }),
  setConversationOption: route({
    method: 'POST',
    path: `${one}/options`,
    summary:
      'Set the mode, model or another option of a conversation’s agent, in a chat or a ' +
      'role: at once where it is open, else with its next turn. `agent:configured` reports ' +
      'the result',
    body: ConfigChange,
    answer: ChatOptions,
  }),
  getFlags: route({
    method: 'GET',
    path: `${one}/flags`,
    summary: 'Read the flags; those that are not set are left out',
    answer: Flags,
  }),
  setFlags: route({
    method: 'PUT',
    path: `${one}/flags`,
    summary: 'Replace the flags; unknown ones are kept',
    body: Flags,
    answer: Flags,
  }),
}

export const searchRoutes = {
  search: route({
    method: 'GET',
    path: '/api/search',
    summary:
      'Search the messages of all conversations and days, newest first; a page may be ' +
      'shorter than its limit although there are more',
    query: SearchQuery,
    answer: SearchAnswer,
  }),
}
