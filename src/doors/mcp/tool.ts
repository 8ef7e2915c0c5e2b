/**
 * Definition of an MCP tool (MC3): a description a language model can act on alone, input and
 * output schemas with snake_case names, and a function. A tool holds no rules; it calls a service.
 */
import * as z from 'zod'
import type { Rights } from '../../domain/access/rights.ts'
import { Content } from '../../protocol/conversations/message.ts'
import { Id } from '../../protocol/text.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { Presented } from '../../server/security/credentials.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'

/** One call with a valid credential. */
export interface ToolCall {
  readonly deps: ServerDependencies
  readonly presented: Presented
  /**
   * Signal that aborts when the caller disconnects, the only sign of a cancellation. Created on
   * first use.
   */
  readonly gone: () => AbortSignal
}

export interface Annotations {
  /** Changes nothing visible. */
  readonly readOnlyHint: boolean
  /** Removes something. */
  readonly destructiveHint: boolean
  /** Has no further effect when repeated with the same arguments. */
  readonly idempotentHint: boolean
  /** Reaches beyond this server. */
  readonly openWorldHint: false
}

const none = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const

export const reads: Annotations = { ...none, readOnlyHint: true, idempotentHint: true }
export const writes: Annotations = none
export const writesOnce: Annotations = { ...none, idempotentHint: true }

export interface Tool {
  readonly name: string
  /** What it calls: which scope that needs, and whose it is. */
  readonly does: Rights
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** The answer may wait for an event, so progress messages are sent meanwhile. */
  readonly mayWait?: true
  /** A thrown Refusal becomes a result with `isError`. */
  readonly run: (args: Record<string, unknown>, call: ToolCall) => Promise<Record<string, unknown>>
}

type Shape = z.core.$ZodLooseShape

/**
 * A tool in the names of our code; clients see its arguments and its answer with snake_case names.
 */
interface Definition<Input extends Shape, Output extends Shape, Call>
  extends Omit<Tool, 'input' | 'output' | 'run'> {
  readonly input?: Input
  readonly output: Output
  readonly run: (
    args: z.output<z.ZodObject<Input>>,
    call: Call,
  ) => Promise<z.input<z.ZodObject<Output>>>
}

export function defineTool<Output extends Shape, Input extends Shape = object>(
  tool: Definition<Input, Output, ToolCall>,
): Tool {
  const input: Shape = tool.input ?? {}
  const names = new Map(Object.keys(input).map((each) => [snake(each), each]))
  const ours = (args: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(args).map(([each, value]) => [names.get(each) ?? each, value]),
    )
  return {
    ...tool,
    input: z.strictObject(snakeFields(input)),
    output: z.object(snakeFields(tool.output)),
    run: async (args, call) =>
      snakeFields(await tool.run(ours(args) as z.output<z.ZodObject<Input>>, call)),
  }
}

export interface AgentCall extends ToolCall {
  /** Agent session that calls. */
  readonly caller: AgentCaller
}

/** Defines a tool of agents that have signed in: it takes their token and gets their session. */
export const agentTool = <Output extends Shape, Input extends Shape = object>(
  tool: Definition<Input, Output, AgentCall>,
): Tool =>
  defineTool<Output, Shape>({
    ...tool,
    input: { session_token: agentSessionToken, ...tool.input },
    run: async ({ session_token, ...args }, call) => {
      const caller = await call.deps.agents.caller(
        call.presented,
        session_token as string | undefined,
      )
      return tool.run(args as z.output<z.ZodObject<Input>>, { ...call, caller })
    },
  })

/** Arguments shared by several tools. */
export const agentSessionToken = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe(
    'What authenticate gave you. Leave it out if your connection carries your own credential.',
  )

export const clientId = Id.optional().describe(
  'Any text of your choice that is new for each message. Call again with the same one after a lost answer: the message is stored once.',
)

export const content = Content

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? (First extends Lowercase<First> ? First : `_${Lowercase<First>}`) : First}${Snake<Rest>}`
  : Name

/**
 * snake_case names for MCP (HT1). Converts the names of an object's own fields, not of nested
 * values.
 */
export type SnakeFields<Thing> = {
  [Name in keyof Thing as Name extends string ? Snake<Name> : never]: Thing[Name]
}

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const snakeFields = <Thing extends object>(thing: Thing): SnakeFields<Thing> =>
  Object.fromEntries(
    Object.entries(thing).map(([name, value]) => [snake(name), value]),
  ) as SnakeFields<Thing>

/** Returns a schema with snake_case field names. */
export const snakeShape = <Fields extends Shape>(
  schema: z.ZodObject<Fields>,
): z.ZodObject<SnakeFields<Fields>> =>
  z.object(snakeFields(schema.shape)) as unknown as z.ZodObject<SnakeFields<Fields>>
