/**
 * Runs one tool and shapes its result (MC2, MC3): `structuredContent`, and the same as text for
 * clients that only read text. A refusal is a result with `isError`, its code and advice.
 * Unexpected errors are never exposed.
 */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { KnownSecrets } from '../../platform/log/known-secrets.ts'
import { mask, maskDeep } from '../../platform/log/mask.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import { findGivenSecrets } from '../../services/agents/secrets.ts'
import { nextStepFor } from './next-steps.ts'
import { snakeFields, type Tool, type ToolCall } from './tool.ts'
import { toolsOf } from './tool-list.ts'

/** A type, not an interface: it must fit the SDK's open result type. */
export type ToolResult = {
  structuredContent: Record<string, unknown>
  content: [{ type: 'text'; text: string }]
  isError?: true
}

export async function runTool(
  tool: Tool,
  args: unknown,
  call: ToolCall,
  requestId: string,
): Promise<ToolResult> {
  const { logger, figures } = call.deps
  try {
    const own = await toolsOf(call.deps.app, call.presented)
    if (!own.has(tool.name))
      throw new Refusal('missing_scope', refusalText('toolOfOthers', { tool: tool.name }))
    const clean = await withoutSecrets(checkedArguments(tool, args ?? {}), call)
    const answer = (await tool.run(clean, call)) as Record<string, unknown>
    logger.debug({ requestId, tool: tool.name }, 'tool called')
    return result(answer)
  } catch (error) {
    const refusal = refusalOf(error, requestId, logger)
    figures.refusedWith(refusal.code)
    // The HTTP status is 200, so the refusal is only visible in this log line.
    logger.info(
      { requestId, tool: tool.name, code: refusal.code, by: call.presented.who.id },
      'tool call refused',
    )
    return { ...result(errorIn(refusal)), isError: true }
  }
}

/** SR4: an agent that reports over MCP may write what it was given; nothing of it is kept. */
async function withoutSecrets<Value>(
  args: Value,
  { deps: { app, seals }, presented: { who } }: ToolCall,
): Promise<Value> {
  if (who.kind !== 'agent') return args
  const given = await app.read(findGivenSecrets, { agentId: who.id }, who)
  if (given.length === 0) return args
  const opened = given.filter(({ sealed }) => sealed.key === seals.keyId)
  const values = opened.flatMap(({ name, sealed }) => Object.values(seals.open({ [name]: sealed })))
  return new KnownSecrets(values).maskDeep(args)
}

function checkedArguments({ input }: Tool, args: unknown): Record<string, unknown> {
  const parsed = input.safeParse(args)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  const why = issue?.message ?? 'Invalid input'
  // Not `session_token: …`, which would look like a secret and be masked.
  throw new Refusal(
    'invalid_request',
    field ? refusalText('argumentWrong', { field, why }) : why,
    field ? { field } : {},
  )
}

const result = (value: Record<string, unknown>): ToolResult => ({
  structuredContent: value,
  content: [{ type: 'text', text: JSON.stringify(value) }],
})

const errorIn = ({ code, message, fields, notice }: Refusal): Record<string, unknown> => ({
  ...snakeFields(maskDeep(fields) as Record<string, unknown>),
  code,
  message: mask(message),
  ...(notice && { notice: maskDeep(notice) }),
  next: nextStepFor(code),
})
