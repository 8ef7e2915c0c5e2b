/** Conversations on the wire (CV). Unknown flags are kept (CV3). */
import * as z from 'zod'
import { conversationKinds } from '../../domain/conversations/key.ts'
import { Time } from '../text.ts'
import { ToolCall, TurnUsage } from '../turns/agent-update.ts'
import { ConversationWorkspace } from './conversation-workspace.ts'
import { Message } from './message.ts'

export const Flags = z.looseObject({
  localOnly: z.boolean().optional(),
  prevPrimaryRoute: z.string().optional(),
  originMessageId: z.string().optional(),
  originRoute: z.string().optional(),
  pendingOriginReply: z.boolean().optional(),
  workOverlayTurnsLeft: z.number().int().optional(),
  workOverlayDirective: z.string().optional(),
  pendingApprovalJobId: z.string().optional(),
})
export type Flags = z.output<typeof Flags>

const Doing = z.object({
  turnId: z.string(),
  since: Time,
  step: z.enum(['text', 'thought', 'tool']).nullable(),
  tool: ToolCall.pick({ toolKind: true, title: true }).nullable(),
  subAgents: z.int().optional().describe('How many sub-agents work (AC16); left out: none'),
})

export const Conversation = z.object({
  key: z.string(),
  kind: z
    .enum(conversationKinds)
    .describe('What it is; `channel`: a chat on another platform, `other`: another program’s'),
  channel: z.string().describe('The part of the key before its first colon'),
  projectId: z.string().nullable(),
  agentId: z.string().nullable().describe('The one that answers at present'),
  agents: z
    .array(z.object({ agentId: z.string(), since: Time }))
    .describe('The agents that people had in it one after another, the present one last'),
  continuedAs: z
    .string()
    .optional()
    .describe('The session in which another agent goes on from this one, an agent’s first'),
  continuedFrom: z.string().optional().describe('That first session, in the other'),
  agentIds: z.array(z.string()).optional().describe('Both agents of a conversation of two'),
  userSessionId: z.string().optional().describe('Of an agent in a role, with the role'),
  role: z.string().optional(),
  workSessionId: z.string().optional().describe('Of work: the first work session of its lineage'),
  /** Closed: a session that was closed, or a conversation between agents that is over. */
  state: z.enum(['open', 'closed']),
  summary: z.string(),
  summaryBy: z
    .string()
    .optional()
    .describe('The person who wrote or imported the summary; left out: the agent'),
  flags: Flags,
  /** A person's, else the agent's, else the first line of the first prompt; null: none yet. */
  title: z.string().nullable(),
  forkedFrom: z.object({ key: z.string(), turnId: z.string() }).optional(),
  /** The current activity; left out in events, where it would be outdated. */
  activity: z
    .enum(['waiting', 'failed', 'interrupted', 'limited', 'working', 'starting', 'ended', 'idle'])
    .optional(),
  /** The next turn waits for another in the same folder (CX9); null: it does not. */
  waitsFor: z.enum(['checkout']).nullable().optional(),
  paused: z
    .enum(['stopped', 'failed'])
    .nullable()
    .optional()
    .describe(
      'Why what waits in a session does not begin by itself: its last turn was stopped or has ' +
        'failed; null: it does. `POST …/go-on` or a message lets it go on',
    ),
  /** What stands for a title until it has one: the task, or the beginning of the first message. */
  opening: z.string().nullable().optional(),
  lines: z
    .object({ added: z.int(), removed: z.int() })
    .nullable()
    .optional()
    .describe('What its turns changed in the files, in all'),
  cost: TurnUsage.shape.cost.optional().describe('What its turns cost, as far as their agent says'),
  doing: Doing.nullable().optional().describe('What its agent does at this moment'),
  rewound: z
    .object({ turnId: z.string(), to: z.enum(['before', 'after']), by: z.string(), at: Time })
    .optional()
    .describe('FS8: the last rewind, while it can be undone'),
  /** The agent's workspace; null: there is no project. */
  workplace: ConversationWorkspace.nullable().optional(),
  shared: z
    .boolean()
    .optional()
    .describe('Of a session: false, while only its person and owners see it'),
  unread: z.boolean().optional().describe('Something was said that the caller has not seen'),
  seen: z.int().optional().describe('The number of the last message that the caller has seen'),
  settled: z.boolean().optional().describe('Nothing was said since the caller settled it'),
  archived: z.boolean().optional().describe('The caller has archived it'),
  messageCount: z.number().int(),
  created: Time,
  updated: Time,
  lastTurnAt: Time.describe('When its newest turn was asked for; lists are in this order'),
})
export type Conversation = z.output<typeof Conversation>

/** In a list, with the beginning of the last message. */
export const ListedConversation = Conversation.extend({
  opening: z.string().nullable().describe('The beginning of the first message that was written'),
  unread: z.boolean(),
  settled: z.boolean(),
  archived: z.boolean(),
  lastMessage: z
    .object({
      seq: z.number().int(),
      role: Message.shape.role,
      senderId: z.string(),
      beginning: z.string(),
      notice: Message.shape.notice,
      createdAt: Time,
    })
    .nullable(),
})
export type ListedConversation = z.output<typeof ListedConversation>
