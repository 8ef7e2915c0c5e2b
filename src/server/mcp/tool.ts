/**
 * What a tool is made of (MC3): words a language model can act on without other documentation, the shapes of what goes in and
 * comes out, and what it does. Names on this wire are snake_case. A tool holds no rules; it asks a service.
 */
import type * as z from 'zod'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presented } from '../security/credentials.ts'

/** One call, by somebody whose credential was found good. */
export interface ToolCall {
  readonly deps: ServerDependencies
  readonly presented: Presented
  /** Aborted when the caller has gone, which is all that a stateless server learns of a cancellation. Made when first asked for. */
  readonly gone: () => AbortSignal
}

export interface Annotations {
  /** Changes nothing anybody can see. */
  readonly readOnlyHint: boolean
  /** Takes something away. */
  readonly destructiveHint: boolean
  /** Called again with the same arguments it does no more. */
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
  /** Its answer may be held back until something happens, so its caller gets signs of life meanwhile. */
  readonly mayWait?: true
  /** A Refusal that is thrown becomes a result with `isError`. */
  readonly run: (args: z.output<Input>, call: ToolCall) => Promise<z.input<Output>>
}

/** Checks each tool against its own shapes, then lets them stand in one list. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool =>
  tool as unknown as Tool
