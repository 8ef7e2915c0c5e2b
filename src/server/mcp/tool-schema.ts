/** A tool's shapes as JSON Schema, as small as they can be: every client reads them, and some put them before a model. */
import * as z from 'zod'
import type { Tool } from './tool.ts'

export type JsonObject = { type: 'object'; [keyword: string]: unknown }

/** What stands in `structuredContent` of a result with `isError`. */
const ToolError = z.object({
  code: z.string().describe('What went wrong, in one stable word'),
  message: z.string().describe('The same in a sentence'),
  next: z.string().describe('What to do now'),
})

export const inputSchemaOf = ({ input }: Tool): JsonObject => schemaOf(input, 'input')

/**
 * Clients check `structuredContent` against this also when it is an error, so it admits both: the fields are those of either,
 * and all that one of them requires must be there.
 */
export function outputSchemaOf({ output }: Tool): JsonObject {
  const good = schemaOf(output, 'output')
  const error = schemaOf(ToolError, 'output')
  const properties = { ...(error['properties'] as object), ...(good['properties'] as object) }
  return { type: 'object', properties, anyOf: [{ required: good['required'] ?? [] }, { required: error['required'] }] }
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // The format says it; the pattern is longer than all the rest.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      // That a number is one that JavaScript can count with goes without saying.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { ...json, type: 'object' }
}
