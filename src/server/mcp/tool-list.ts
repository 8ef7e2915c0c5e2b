/** List of the MCP tools (MC2), the same for every client and built once. */
import * as z from 'zod'
import {
  authenticate,
  getAgentAction,
  getNextAction,
  invalidateSession,
  logout,
  reportProcessExit,
} from '../agent-sessions/tools.ts'
import { getApproval, requestApproval, requestFolder } from '../approvals/tools.ts'
import {
  getFlags,
  getHistory,
  getPendingMessages,
  respondChat,
  sendMessage,
  setFlags,
  setSummary,
} from '../conversations/tools.ts'
import { getMyTask, getResumeContext, recordApproach, resumeFromFile, saveCheckpoint, updateTask } from '../work/tools.ts'
import type { Annotations, Tool } from './tool.ts'

/** JSON Schema of a tool's input or output, kept small because clients put it into a model's context. */
export type JsonObject = { type: 'object'; [keyword: string]: unknown }

/** `structuredContent` of a result with `isError`. */
const ToolError = z.object({
  code: z.string().describe('What went wrong, in one stable word'),
  message: z.string().describe('The same in a sentence'),
  next: z.string().describe('What to do now'),
})

const inputSchemaOf = ({ input }: Tool): JsonObject => schemaOf(input, 'input')

/** Builds a schema that admits results and errors, because clients validate `structuredContent` in both cases. */
function outputSchemaOf({ output }: Tool): JsonObject {
  const good = schemaOf(output, 'output')
  const error = schemaOf(ToolError, 'output')
  const properties = { ...(error['properties'] as object), ...(good['properties'] as object) }
  return { type: 'object', properties, anyOf: [{ required: good['required'] ?? [] }, { required: error['required'] }] }
}

function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // The format is enough; the pattern is longer than the rest.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      // The bounds of safe integers are omitted.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return { ...json, type: 'object' }
}

/** In the order in which an agent uses them; tools for coordinators come last. */
const tools: readonly Tool[] = [
  authenticate,
  getNextAction,
  getPendingMessages,
  respondChat,
  getHistory,
  setSummary,
  getFlags,
  setFlags,
  getMyTask,
  updateTask,
  saveCheckpoint,
  getResumeContext,
  recordApproach,
  requestApproval,
  getApproval,
  requestFolder,
  sendMessage,
  logout,
  getAgentAction,
  reportProcessExit,
  invalidateSession,
  resumeFromFile,
]

const byName = new Map(tools.map((tool) => [tool.name, tool]))

export const toolNamed = (name: string): Tool | undefined => byName.get(name)

interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  readonly annotations: Annotations
}

let listed: ListedTool[] | undefined

export function listedTools(): ListedTool[] {
  listed ??= tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
    outputSchema: outputSchemaOf(tool),
    annotations: tool.annotations,
  }))
  return listed
}
