/**
 * `conversations/<name>.json` (CV6) in the format of picoclaw's session manager: one conversation
 * in snake_case, with its key. Files we write have every field; files we read may be another
 * program's.
 */
import * as z from 'zod'
import { writeFlags } from '../../domain/conversations/flags.ts'
import { refusalOfKey } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { epochMs, type Instant, instant } from '../../domain/instant.ts'
import { checked } from '../checked-input.ts'
import { Time } from '../text.ts'
import type { Conversation } from './conversation.ts'
import { Content, Extra, HistoryMessage, type Message } from './message.ts'

const FileMessage = z.looseObject({
  role: z.string(),
  content: z.string(),
  name: z.string().optional(),
  tool_calls: z.array(z.unknown()).optional(),
  tool_call_id: z.string().optional(),
  media: z.array(z.unknown()).optional(),
})

const Named = z.string().min(1).max(200)

/** SN26: what is known of a session beside what was said. The names are those of its columns. */
export const FileThread = z.object({
  project_id: Named,
  agent_id: Named,
  agents: z.string().max(20_000).nullable(),
  title: z.string().max(1000).nullable(),
  titled_by: Named.nullable(),
  workplace: z.enum(['worktree', 'checkout', 'plain', 'folder']).nullable(),
  workplace_folder: z.string().max(4096).nullable(),
  continued_as: Named.nullable(),
  continued_from: Named.nullable(),
  forked_from: z.string().max(2000).nullable(),
})
export type FileThread = z.output<typeof FileThread>

export const ConversationFile = z.object({
  key: z.string(),
  messages: z.array(FileMessage),
  summary: z.string(),
  flags: z.record(z.string(), z.unknown()),
  created: Time,
  updated: Time,
  /** IM7: whose alone it is. Only files of a store's own are believed. */
  private_to: z.string().optional(),
  /** Only files of a store's own are believed. */
  thread: FileThread.optional(),
})
export type ConversationFile = z.output<typeof ConversationFile>

/** `name`: which of several people said it (CV14); one that came with the message stays. */
export const fileMessageOf = (
  { role, content, toolCalls, toolCallId, media, extra }: Message,
  name?: string,
): z.output<typeof FileMessage> => ({
  ...(name !== undefined && { name }),
  ...extra,
  role: typeof extra?.['role'] === 'string' ? extra['role'] : role,
  content,
  ...(Array.isArray(toolCalls) && { tool_calls: toolCalls }),
  ...(toolCallId !== null && { tool_call_id: toolCallId }),
  ...(Array.isArray(media) && { media }),
})

/**
 * All fields but the messages, which may not fit in memory. `extra`: other programs' fields, which
 * never replace ours.
 */
export const fileHeadOf = (
  conversation: Conversation,
  extra: Readonly<Record<string, unknown>>,
  privateTo: string | null = null,
  thread?: FileThread,
): Omit<ConversationFile, 'messages'> => ({
  ...extra,
  key: conversation.key,
  summary: conversation.summary,
  flags: writeFlags(conversation.flags),
  created: conversation.created,
  updated: conversation.updated,
  ...(privateTo !== null && { private_to: privateTo }),
  ...(thread && { thread }),
})

/** Go writes nanoseconds, any time zone, and an unset time as January 1 of year 1. */
const GoTime = z.iso
  .datetime({ offset: true })
  .transform((text): Instant | null => (epochMs(text) > 0 ? instant(epochMs(text)) : null))
  .nullish()
  .transform((time) => time ?? null)

/** In Go, missing, null and empty are the same. */
const filled = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === null || given === '' ? undefined : given), schema.optional())

/** Unknown roles become `system`, and the original is kept in `extra`. */
const Role = z.union([HistoryMessage.shape.role, z.string().max(200)]).nullish()
const isOurs = (role: unknown): role is HistoryRole =>
  HistoryMessage.shape.role.safeParse(role).success
type HistoryRole = z.output<typeof HistoryMessage>['role']

const ReadMessage = z
  .looseObject({
    role: Role,
    content: Content.nullish().transform((content) => content ?? ''),
    tool_calls: filled(HistoryMessage.shape.toolCalls),
    tool_call_id: filled(HistoryMessage.shape.toolCallId),
    media: filled(HistoryMessage.shape.media),
  })
  .transform(({ role, content, tool_calls, tool_call_id, media, ...rest }) => ({
    role: isOurs(role) ? role : ('system' as const),
    content,
    ...withExtra(isOurs(role) ? rest : { ...rest, role }),
    ...(tool_calls != null && { toolCalls: tool_calls }),
    ...(tool_call_id != null && { toolCallId: tool_call_id }),
    ...(media != null && { media }),
  }))

const withExtra = (rest: Record<string, unknown>): { extra?: Record<string, unknown> } => {
  const ownFields = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  )
  return Object.keys(ownFields).length > 0 ? { extra: checked(Extra, ownFields) } : {}
}

const ReadFile = z
  .looseObject({
    key: z.string(),
    messages: z
      .array(ReadMessage)
      .nullish()
      .transform((messages) => messages ?? []),
    summary: Content.nullish().transform((summary) => summary ?? ''),
    flags: z
      .record(z.string(), z.unknown())
      .nullish()
      .transform((flags) => flags ?? {}),
    created: GoTime,
    updated: GoTime,
    private_to: z.string().min(1).max(200).optional().catch(undefined),
    thread: FileThread.optional().catch(undefined),
  })
  .transform(
    ({ key, messages, summary, flags, created, updated, private_to, thread, ...rest }) => ({
      key,
      messages,
      summary,
      flags,
      created,
      updated,
      privateTo: private_to ?? null,
      thread,
      ...withExtra(rest),
    }),
  )
export type ReadConversation = z.output<typeof ReadFile>

/** Throws `invalid_request` or `invalid_key`. */
export function readConversationFile(file: unknown): ReadConversation {
  const read = checked(ReadFile, file)
  const refused = refusalOfKey(read.key)
  if (refused) throw new Refusal(refused.code, refused.detail)
  return read
}
