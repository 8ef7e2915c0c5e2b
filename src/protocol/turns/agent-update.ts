/**
 * What an agent shows of its work: a small, bounded union over what ACP agents send, for the link
 * and the relay.
 */
import * as z from 'zod'
import { Notice } from '../notices.ts'

/** Characters of one piece of streamed text; longer ones are split. */
export const maxTextPiece = 4 * 1024
/** Characters of a text in a tool call, plan or command; more is cut and marked. */
export const maxShownText = 32 * 1024
/** Characters of a tool call's output in an update: its beginning and its end. */
export const maxShownOutput = 8 * 1024
/** Characters of one stored piece of a tool call's whole output. */
export const maxOutputText = 64 * 1024
/** Characters of an image or sound in base64; a larger one is only named. */
export const maxMediaChars = 256 * 1024
/** Entries of any list. */
export const maxListed = 200
/** Characters of a title, name or path. */
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
/** `other`: a kind that the protocol does not name, which makes the request a question (AP14). */
export const permissionKinds = [
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
  'other',
] as const

/** The current state of a tool call; replaces the earlier one with its id. */
export const ToolCall = z.object({
  toolCallId: Line,
  title: Line,
  toolKind: z.enum(toolKinds),
  status: z.enum(toolStatuses),
  /** The input as JSON; null when the agent does not report it. */
  input: Text.nullable(),
  locations: z.array(z.object({ path: Line, line: z.int().nullable() })).max(maxListed),
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('text'), text: Text }),
        z.object({ type: z.literal('diff'), path: Line, oldText: Text.nullable(), newText: Text }),
        /** An image, terminal or file: named only. */
        z.object({ type: z.literal('other'), name: Line }),
      ]),
    )
    .max(maxListed),
  cut: z.boolean(),
  /** What follows is left out where the agent does not report it (AC6). */
  command: Line.optional(),
  cwd: Line.optional(),
  /** Beginning and end of the output; all of it where it is as long as `outputLength`. */
  output: z.string().max(maxShownOutput).optional(),
  outputLength: z.int().optional(),
  exitCode: z.int().optional(),
  /** Measured, without the wait for a permission. */
  durationMs: z.int().optional(),
  /** The call of which this one is a part, or the strand. */
  parentId: Line.optional(),
})
export type ToolCall = z.output<typeof ToolCall>

const strandStates = ['running', 'asking', 'done', 'failed', 'stopped'] as const

/**
 * AC16: a sub-agent in a turn, in its current state. What belongs to it names its id: calls as
 * `parentId`, the rest as `strand`.
 */
export const Strand = z.object({
  id: Line,
  /** The strand that began it; left out: the agent itself. */
  parentId: Line.optional(),
  /** The call that it is; null: it is none. */
  callId: Line.nullable(),
  title: Line,
  state: z.enum(strandStates),
  /** The call may be over before the sub-agent is. */
  background: z.boolean(),
})
export type Strand = z.output<typeof Strand>

const Plan = z.array(
  z.object({
    content: Line,
    priority: z.enum(['high', 'medium', 'low']),
    status: z.enum(['pending', 'in_progress', 'completed']),
  }),
)

export const AgentMode = z.object({ id: Line, name: Line, description: Line.nullable() })
export type AgentMode = z.output<typeof AgentMode>

/** An option that can be set while the agent runs, such as the model. */
export const AgentOption = z.object({
  id: Line,
  name: Line,
  category: Line.nullable(),
  value: z.union([Line, z.boolean()]),
  values: z.array(z.object({ id: Line, name: Line })).max(maxListed),
})
export type AgentOption = z.output<typeof AgentOption>

/** What a turn used. null where the agent does not report it. */
export const TurnUsage = z.object({
  inputTokens: z.number().min(0).nullable(),
  outputTokens: z.number().min(0).nullable(),
  cachedTokens: z.number().min(0).nullable(),
  cost: z.object({ amount: z.number(), currency: Line }).nullable(),
})
export type TurnUsage = z.output<typeof TurnUsage>

/** What an agent offers, from its answer to `initialize` (AG13). */
export const AgentAbilities = z.object({
  load: z.boolean(),
  resume: z.boolean(),
  list: z.boolean(),
  close: z.boolean(),
  delete: z.boolean(),
  fork: z.boolean(),
  images: z.boolean(),
  audio: z.boolean(),
  embeddedFiles: z.boolean(),
  mcpOverHttp: z.boolean(),
  logout: z.boolean(),
  signIn: z.array(Line).max(maxListed),
})
export type AgentAbilities = z.output<typeof AgentAbilities>

export const AgentCommand = z.object({ name: Line, description: Line, hint: Line.nullable() })
export type AgentCommand = z.output<typeof AgentCommand>

/** Updates of no turn, which may come at any time and are kept with the agent. */
export const stateKinds: ReadonlySet<string> = new Set([
  'mode',
  'options',
  'commands',
  'usage',
  'title',
])

/** A notice may come at any time too, and belongs to the turn that runs then. */
export const AgentUpdate = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), strand: Line.optional() }),
  z.object({ kind: z.literal('thought'), text: z.string(), strand: Line.optional() }),
  z.object({ kind: z.literal('strand'), strand: Strand }),
  z.object({ kind: z.literal('tool'), call: ToolCall }),
  /**
   * A piece of a call's whole output, longer than what the call shows. Stored with the turn, not
   * relayed.
   */
  z.object({
    kind: z.literal('output'),
    toolCallId: z.string().max(200),
    part: z.int().min(0),
    text: z.string().max(maxOutputText),
  }),
  z.object({
    kind: z.literal('plan'),
    entries: Plan.max(maxListed),
    strand: Line.optional(),
  }),
  z.object({ kind: z.literal('mode'), modeId: Line }),
  z.object({ kind: z.literal('options'), options: z.array(AgentOption).max(maxListed) }),
  z.object({ kind: z.literal('commands'), commands: z.array(AgentCommand).max(maxListed) }),
  z.object({ kind: z.literal('usage'), used: z.number(), size: z.number(), cost: Line.nullable() }),
  /** AC8: the agent's name for the conversation; null: none any more. */
  z.object({ kind: z.literal('title'), title: Line.nullable() }),
  z.object({
    kind: z.literal('notice'),
    severity: z.enum(['info', 'warning', 'error']),
    title: Line,
    description: Text.nullable(),
    /** The code of a text of the server. */
    notice: Notice.nullish(),
  }),
  /** The agent shortens what it knows; the current state of one such compaction. */
  z.object({
    kind: z.literal('compaction'),
    compactionId: Line,
    status: Line,
    summary: Text.nullable(),
    error: Text.nullable(),
  }),
  /** An image or sound that the agent shows. `data` null: too large to keep. */
  z.object({
    kind: z.literal('media'),
    media: z.enum(['image', 'audio']),
    mimeType: Line,
    data: z.base64().max(maxMediaChars).nullable(),
  }),
])
export type AgentUpdate = z.output<typeof AgentUpdate>

/** AP4: a permission request, with the digest that its answer is bound to. */
export const PermissionRequest = z.object({
  call: ToolCall,
  options: z
    .array(z.object({ optionId: Line, name: Line, kind: z.enum(permissionKinds) }))
    .min(1)
    .max(maxListed),
  /** SHA-256 of the request as the agent sent it. */
  digest: z.string().length(64),
  /**
   * AG6: the fingerprint of the call, equal when the same call is asked again; null: it cannot be
   * recognized.
   */
  likeness: z.string().length(64).nullable().default(null),
})
export type PermissionRequest = z.output<typeof PermissionRequest>
export type PermissionKind = (typeof permissionKinds)[number]
