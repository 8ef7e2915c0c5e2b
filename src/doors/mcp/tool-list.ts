/**
 * List of the MCP tools (MC2), built once, and which of them a connection's purpose needs (MC5).
 */
import * as z from 'zod'
import type { Presented } from '../../server/security/credentials.ts'
import { findToolPurpose, type ToolPurpose } from '../../services/agent-sessions/tool-purpose.ts'
import type { App } from '../../services/app.ts'
import * as agents from './agent-sessions.ts'
import * as approvals from './approvals.ts'
import * as chats from './conversations.ts'
import * as review from './review.ts'
import * as results from './session-results.ts'
import * as threads from './sessions.ts'
import type { Annotations, Tool } from './tool.ts'
import * as work from './work.ts'

/**
 * JSON Schema of a tool's input or output, kept small because clients put it into a model's
 * context.
 */
export type JsonObject = { type: 'object'; [keyword: string]: unknown }

/** `structuredContent` of a result with `isError`. */
const ToolError = z.object({
  code: z.string().describe('What went wrong, in one stable word'),
  message: z.string().describe('The same in a sentence'),
  next: z.string().describe('What to do now'),
})

const inputSchemaOf = ({ input }: Tool): JsonObject => schemaOf(input, 'input')

/**
 * Builds a schema that admits results and errors, because clients validate `structuredContent` in
 * both cases.
 */
function outputSchemaOf({ output }: Tool): JsonObject {
  const good = schemaOf(output, 'output')
  const error = schemaOf(ToolError, 'output')
  const properties = { ...(error['properties'] as object), ...(good['properties'] as object) }
  return {
    type: 'object',
    properties,
    anyOf: [{ required: good['required'] ?? [] }, { required: error['required'] }],
  }
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

/** MC6: for people's own agents. */
const ofSessions: readonly Tool[] = [
  threads.listSessions,
  threads.searchSessions,
  threads.startSession,
  threads.promptSession,
  threads.waitForSession,
  results.readSession,
  results.readDiff,
  results.answerApproval,
]

/** In the order in which an agent uses them; tools for coordinators come last. */
const tools: readonly Tool[] = [
  ...ofSessions,
  agents.authenticate,
  agents.getNextAction,
  chats.getPendingMessages,
  chats.respondChat,
  chats.getHistory,
  chats.setSummary,
  chats.getFlags,
  chats.setFlags,
  work.getMyTask,
  work.updateTask,
  work.saveCheckpoint,
  work.getResumeContext,
  work.recordApproach,
  approvals.requestApproval,
  approvals.getApproval,
  approvals.requestFolder,
  review.listComments,
  review.answerComment,
  review.resolveComment,
  chats.sendMessage,
  agents.logout,
  agents.getAgentAction,
  agents.reportProcessExit,
  agents.invalidateSession,
  work.resumeFromFile,
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

/** Tools that prompted agents need for everything that they do. */
const forPrompted: readonly Tool[] = [
  chats.getHistory,
  chats.setSummary,
  chats.getFlags,
  chats.setFlags,
  approvals.requestApproval,
  approvals.getApproval,
  approvals.requestFolder,
  review.listComments,
  review.answerComment,
  review.resolveComment,
  chats.sendMessage,
  work.recordApproach,
]
const forWork = [
  ...forPrompted,
  work.getMyTask,
  work.updateTask,
  work.saveCheckpoint,
  work.getResumeContext,
]

const namesOfSessions = new Set(ofSessions.map(({ name }) => name))

const byPurpose: Readonly<Record<ToolPurpose | 'person', ReadonlySet<string>>> = {
  person: new Set(byName.keys()),
  any: new Set([...byName.keys()].filter((name) => !namesOfSessions.has(name))),
  chat: new Set(forPrompted.map(({ name }) => name)),
  task: new Set(forWork.map(({ name }) => name)),
  role: new Set(forWork.map(({ name }) => name)),
}

/** Whether it acts for a person: by the person's token, or a script's. */
export const isForPerson = ({ kind }: Presented['who']): boolean =>
  kind === 'person' || kind === 'script'

/** The names of the tools of a connection. */
export async function toolsOf(
  app: App,
  { who, contextId }: Presented,
): Promise<ReadonlySet<string>> {
  const { launch } = who
  if (isForPerson(who)) return byPurpose.person
  if (!launch) return byPurpose.any
  return byPurpose[await app.read(findToolPurpose, { launchId: launch.id, contextId }, who)]
}

export function listedTools(names = byPurpose.person): ListedTool[] {
  listed ??= tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
    outputSchema: outputSchemaOf(tool),
    annotations: tool.annotations,
  }))
  return listed.filter(({ name }) => names.has(name))
}
