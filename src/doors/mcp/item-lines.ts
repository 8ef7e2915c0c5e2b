/**
 * What happened in a turn, as it is answered to a person's own agent: short enough for a model's
 * context. What is left out stands on the page.
 */
import * as z from 'zod'
import type { NewItem } from '../../protocol/threads/position.ts'
import type { Item } from '../../protocol/threads/turn-items.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { TurnSince } from '../../services/turns/read-since.ts'

const maxInputChars = 2000
const maxOutputChars = 4000
const maxPromptChars = 8000

/** The beginning of a text, with a mark where more was. */
export const beginningOf = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars)} […]`

const ReadItem = z.looseObject({
  n: z.int().describe('Its place in the turn; the same again replaces it, text goes on'),
  kind: z.string().describe('text, thought, tool, plan, sub_agent, permission, question, …'),
})

export const ReadTurn = z.object({
  turn_id: z.string(),
  agent_id: z.string(),
  state: z.string().describe('running, answered, cancelled, failed or unknown'),
  stop_reason: z.string().nullable(),
  error: z.string().nullable(),
  prompt: z.string(),
  began_at: z.string().nullable(),
  items: z.array(ReadItem),
})

const promptOf = ({ content }: ConversationTurn): string =>
  beginningOf(
    content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n\n'),
    maxPromptChars,
  )

export const readTurn = ({ turn, items }: TurnSince): z.input<typeof ReadTurn> => ({
  turn_id: turn.id,
  agent_id: turn.agentId,
  state: turn.state,
  stop_reason: turn.stopReason,
  error: turn.error,
  prompt: promptOf(turn),
  began_at: turn.startedAt,
  items: items.map(readItem),
})

const readItem = ({ index: n, item }: NewItem) => ({ n, ...bodyOf(item) })

function bodyOf(item: Item): { readonly kind: string; readonly [name: string]: unknown } {
  switch (item.kind) {
    case 'text':
    case 'thought':
      return { kind: item.kind, text: item.text, ...of(item.strand) }
    case 'tool':
      return toolBody(item.call)
    case 'plan':
      return { kind: 'plan', entries: item.entries, ...of(item.strand) }
    case 'strand':
      return {
        kind: 'sub_agent',
        id: item.strand.id,
        title: item.strand.title,
        state: item.strand.state,
      }
    case 'permission': {
      const { approvalId, title, outcome, decidedBy } = item.permission
      return { kind: 'permission', approval_id: approvalId, title, outcome, decided_by: decidedBy }
    }
    case 'question': {
      const { questionId, message, outcome, decidedBy } = item.question
      return { kind: 'question', approval_id: questionId, message, outcome, decided_by: decidedBy }
    }
    case 'media':
      return { kind: 'media', mime_type: item.mimeType }
    case 'notice':
      return { kind: 'notice', text: [item.title, item.description].filter(Boolean).join('\n') }
    case 'compaction':
      return { kind: 'compaction', status: item.status }
  }
}

const of = (strand: string | undefined): object =>
  strand === undefined ? {} : { sub_agent: strand }

function toolBody(call: Extract<Item, { kind: 'tool' }>['call']) {
  const { title, toolKind, status, command, input, output, exitCode, parentId, content } = call
  const changed = content.flatMap((part) => (part.type === 'diff' ? [part.path] : []))
  const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const came = output ?? words
  const given = command ?? input ?? ''
  return {
    kind: 'tool',
    title,
    tool_kind: toolKind,
    status,
    ...(given && { input: beginningOf(given, maxInputChars) }),
    ...(came && { output: beginningOf(came, maxOutputChars) }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(changed.length > 0 && { changed }),
    ...of(parentId),
  }
}
