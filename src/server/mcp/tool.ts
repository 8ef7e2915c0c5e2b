/**
 * Definition of an MCP tool (MC3): a description a language model can act on alone, input and output schemas with snake_case
 * names, and a function. A tool holds no rules; it calls a service.
 */
import * as z from 'zod'
import { Content } from '../../protocol/conversations/message.ts'
import { Id } from '../../protocol/text.ts'
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

/** Arguments shared by several tools. */
export const agentSessionToken = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('What authenticate gave you. Leave it out if your connection carries your own credential.')

export const clientId = Id.optional().describe(
  'Any text of your choice that is new for each message. Call again with the same one after a lost answer: the message is stored once.',
)

export const content = Content

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? (First extends Lowercase<First> ? First : `_${Lowercase<First>}`) : First}${Snake<Rest>}`
  : Name

/** snake_case names for MCP (HT1). Converts the names of an object's own fields, not of nested values. */
export type SnakeFields<Thing> = { [Name in keyof Thing as Name extends string ? Snake<Name> : never]: Thing[Name] }

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const snakeFields = <Thing extends object>(thing: Thing): SnakeFields<Thing> =>
  Object.fromEntries(Object.entries(thing).map(([name, value]) => [snake(name), value])) as SnakeFields<Thing>

/** Returns a schema with snake_case field names. */
export const snakeShape = <Shape extends z.core.$ZodLooseShape>(schema: z.ZodObject<Shape>): z.ZodObject<SnakeFields<Shape>> =>
  z.object(snakeFields(schema.shape)) as unknown as z.ZodObject<SnakeFields<Shape>>
