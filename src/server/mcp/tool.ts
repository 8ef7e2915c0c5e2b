/**
 * Definition of an MCP tool (MC3): a description a language model can act on alone, input and output schemas with snake_case
 * names, and a function. A tool holds no rules; it calls a service.
 */
import type * as z from 'zod'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'

/** One call with a valid credential. */
export interface ToolCall {
  readonly deps: ServerDependencies
  readonly presented: Presented
  /** Signal that aborts when the caller disconnects, the only sign of a cancellation. Created on first use. */
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

const none = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const

export const reads: Annotations = { ...none, readOnlyHint: true, idempotentHint: true }
export const writes: Annotations = none
export const writesOnce: Annotations = { ...none, idempotentHint: true }
export const ends: Annotations = { ...none, idempotentHint: true, destructiveHint: true }

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  readonly input: Input
  readonly output: Output
  /** The answer may wait for an event, so progress messages are sent meanwhile. */
  readonly mayWait?: true
  /** A thrown Refusal becomes a result with `isError`. */
  readonly run: (args: z.output<Input>, call: ToolCall) => Promise<z.input<Output>>
}

/** Checks a tool against its own schemas and widens its type for the list. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool =>
  tool as unknown as Tool
