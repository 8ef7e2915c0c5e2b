/** Reads an agent's question (ACP's elicitation, AP13) and writes the answer to it. Pure. */
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../platform/json.ts'
import { maxQuestionChars, Question, type QuestionAnswer } from '../../protocol/turns/question.ts'
import { jsonOf, textOf } from './wire.ts'

interface ReadQuestion {
  readonly question: Question
  /** Id of an address to visit: the agent names it when the visit is over. */
  readonly visitId: string | undefined
}

/** Undefined for a question that cannot be shown: of an unknown mode or field type, or too long. */
export function questionOf(params: unknown): ReadQuestion | undefined {
  const json = jsonOf(params)
  if (json === undefined || json.length > maxQuestionChars) return undefined
  // Null means the same as left out.
  const {
    message,
    mode,
    requestedSchema = {},
    url,
    elicitationId,
  } = fieldsOf(JSON.parse(json, (_, value) => value ?? undefined))
  const isForm = mode === 'form'
  if (!isForm && mode !== 'url') return undefined
  const read = Question.safeParse({
    message,
    schema: isForm ? requestedSchema : null,
    url: isForm ? null : url,
  })
  return read.success
    ? { question: read.data, visitId: isForm ? undefined : textOf(elicitationId) }
    : undefined
}

export function elicitationResponse({
  action,
  content,
}: QuestionAnswer): CreateElicitationResponse {
  if (action !== 'accept' || content === null) return { action }
  const copied = Object.entries(content).map(
    ([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const,
  )
  return { action, content: Object.fromEntries(copied) }
}
