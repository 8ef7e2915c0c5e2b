/** Turns and contexts of conversations as they cross the wire. */
import * as z from 'zod'
import { Turn } from '../consoles/user-session.ts'
import { Notice } from '../notices.ts'
import { Time } from '../text.ts'
import { FileChanges } from '../worktrees/file-state.ts'
import { ToolCall, TurnUsage } from './agent-update.ts'
import { ModelUsage } from './model-usage.ts'
import { PromptPart } from './prompt.ts'

export const ConversationTurn = z.object({
  id: z.string(),
  conversationKey: z.string(),
  agentId: z.string(),
  about: z.enum(['chat', 'prompt', 'task', 'summary']),
  taskId: z.string().nullable(),
  state: Turn.shape.state,
  stopReason: z
    .string()
    .nullable()
    .describe(
      'end_turn, read, empty, denied, max_tokens, max_turn_requests, refusal, cancelled, error, probably_error, limit, took_too_long, process_gone, withdrawn, joined',
    ),
  error: z.string().nullable(),
  notice: Notice.nullish(),
  content: z.array(PromptPart),
  text: z.string().describe('What was said, without thoughts and tools'),
  cut: z.boolean(),
  usage: TurnUsage.nullable().describe(
    'Tokens of all its requests (AC15): as the gateway counted them, or as the agent reports them',
  ),
  counted: z
    .array(ModelUsage)
    .nullable()
    .describe('As the gateway counted it, by model (GW5); null without a gateway'),
  retryOf: z.string().nullable().describe('The earlier attempt that it repeats'),
  notBefore: Time.nullable().describe(
    'Parked until its agent is no longer at its vendor’s limit (AG6)',
  ),
  primer: z.string().nullable().describe('What the context was told first in this turn'),
  before: z
    .string()
    .nullable()
    .describe('The tree of the files before it (FS7); null where there is none'),
  after: z.string().nullable().describe('The tree of the files after it'),
  changes: FileChanges.nullable().describe('What it changed'),
  rewound: z.boolean().describe('A rewind took it back (FS8)'),
  by: z.string(),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
})
export type ConversationTurn = z.output<typeof ConversationTurn>

/** A tool call of a turn with its whole output (AC6); null where the agent does not report it. */
export const ToolCallOutput = ToolCall.pick({ toolCallId: true, title: true, status: true }).extend(
  {
    command: z.string().nullable(),
    cwd: z.string().nullable(),
    output: z.string().nullable(),
    cut: z.boolean().describe('More came than is kept: the beginning and the end are there'),
    exitCode: z.int().nullable(),
    durationMs: z.int().nullable(),
  },
)
export type ToolCallOutput = z.output<typeof ToolCallOutput>
/**
 * What came of a turn, in order: text, thoughts, tool calls, the plan; permissions and questions as
 * they were decided.
 */
export const TurnItem = z.looseObject({ kind: z.string() })
export type TurnItem = z.output<typeof TurnItem>

export const ListedTurn = ConversationTurn.extend({ items: z.array(TurnItem).optional() })
export type ListedTurn = z.output<typeof ListedTurn>

export const ConversationContext = z.object({
  id: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  state: z.enum(['opening', 'open', 'asleep', 'ended']),
  how: z.enum(['new', 'resumed', 'loaded', 'pulled']).nullable(),
  notRestored: z.string().nullable(),
  notice: Notice.nullish(),
  primer: z.string().nullable().describe('What it was told when it was opened'),
  launchId: z.string().nullable(),
  openedAt: Time.nullable(),
  endedAt: Time.nullable(),
  endReason: z.string().nullable(),
})
export type ConversationContext = z.output<typeof ConversationContext>
