/**
 * What an agent lets be seen of its work, in our own words: a small union over what ACP agents of any vendor send. It goes over the
 * coordinator's link and the relay, so every part of it has a greatest size.
 */
import * as z from 'zod'

/** In one piece of streamed text; longer ones come in several. */
export const maxTextPiece = 4 * 1024
/** In one text of a tool call, a plan or a command: more is cut, and says so. */
export const maxShownText = 32 * 1024
/** Of anything that is a list. */
export const maxListed = 200
/** Of a title, a name, a path. */
export const maxShownLine = 1000

const Line = z.string().max(maxShownLine)
const Text = z.string().max(maxShownText)

export const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const
export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const

/** A tool call as it stands now: each one replaces what was known under its id. */
export const ToolCall = z.object({
  toolCallId: Line,
  title: Line,
  toolKind: z.enum(toolKinds),
  status: z.enum(toolStatuses),
  /** What it was called with, as JSON; null when the agent does not say. */
  input: Text.nullable(),
  locations: z.array(z.object({ path: Line, line: z.int().nullable() })).max(maxListed),
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: Text }),
        z.object({ type: z.literal('diff'), path: Line, oldText: Text.nullable(), newText: Text }),
        /** A picture, a terminal, a file: named, not carried. */
        z.object({ type: z.literal('other'), name: Line }),
      ]),
    )
    .max(maxListed),
  /** More was sent than is carried here. */
  cut: z.boolean(),
})
export type ToolCall = z.output<typeof ToolCall>

const Plan = z.array(
  z.object({
    content: Line,
    priority: z.enum(['high', 'medium', 'low']),
    status: z.enum(['pending', 'in_progress', 'completed']),
  }),
)

export const AgentMode = z.object({ id: Line, name: Line, description: Line.nullable() })
export type AgentMode = z.output<typeof AgentMode>

/** Something that can be set while it runs: the model, how long it thinks. */
export const AgentOption = z.object({
  id: Line,
  name: Line,
  category: Line.nullable(),
  value: z.union([Line, z.boolean()]),
  /** The values there are; none for one that is on or off. */
  values: z.array(z.object({ id: Line, name: Line })).max(maxListed),
})
export type AgentOption = z.output<typeof AgentOption>

/** Those without a turn around them (mode, options, commands, usage) may come at any time. */
export const AgentUpdate = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('thought'), text: z.string() }),
  z.object({ kind: z.literal('tool'), call: ToolCall }),
  z.object({ kind: z.literal('plan'), entries: Plan.max(maxListed) }),
  z.object({ kind: z.literal('mode'), modeId: Line }),
  z.object({ kind: z.literal('options'), options: z.array(AgentOption).max(maxListed) }),
  z.object({
    kind: z.literal('commands'),
    commands: z.array(z.object({ name: Line, description: Line, hint: Line.nullable() })).max(maxListed),
  }),
  z.object({ kind: z.literal('usage'), used: z.number(), size: z.number(), cost: Line.nullable() }),
])
export type AgentUpdate = z.output<typeof AgentUpdate>

/** AP4: what an agent asks for, with the digest that the answer is bound to. */
export const PermissionRequest = z.object({
  call: ToolCall,
  options: z
    .array(z.object({ optionId: Line, name: Line, kind: z.enum(permissionKinds) }))
    .min(1)
    .max(maxListed),
  /** SHA-256 of the request exactly as the agent sent it. */
  digest: z.string().length(64),
  /** AG6: the same for the same call asked again; null: it cannot be known again. */
  likeness: z.string().length(64).nullable().default(null),
})
export type PermissionRequest = z.output<typeof PermissionRequest>
export type PermissionKind = (typeof permissionKinds)[number]
