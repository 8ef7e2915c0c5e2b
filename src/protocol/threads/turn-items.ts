/**
 * What an agent did in a turn, in the order it came, and how each piece changes it. Pure: server,
 * page, command line and doors put the pieces of a turn together here and nowhere else. Never holds
 * more than its bounds, whatever an agent sends.
 */
import type { Approval } from '../approvals/approval.ts'
import type { AskedPermission, PermissionOutcome } from '../consoles/user-session.ts'
import type { AgentUpdate, Strand, ToolCall } from '../turns/agent-update.ts'
import type { AskedQuestion, QuestionAnswer } from '../turns/question.ts'

/** Characters of the agent's text; more is cut and marked. */
export const maxTurnText = 1024 * 1024
/** Characters of everything else; later pieces are left out. */
export const maxOtherChars = 1024 * 1024
/** At this many nothing new is added but text. */
export const maxTurnItems = 5000

/** AP15: the answer that is held for some seconds, and who gave it; left out: there is none. */
interface HeldAnswer {
  readonly held?: NonNullable<Approval['held']>
}

export interface TurnPermission extends AskedPermission, HeldAnswer {
  /** null: it waits. */
  readonly outcome: PermissionOutcome | null
  readonly optionId: string | null
  readonly decidedBy: string | null
  readonly resolvedAt: string | null
}

export interface TurnQuestion extends AskedQuestion, HeldAnswer {
  readonly outcome: PermissionOutcome | null
  readonly content: QuestionAnswer['content']
  readonly decidedBy: string | null
  readonly resolvedAt: string | null
}

export type Plan = Extract<AgentUpdate, { kind: 'plan' }>['entries']
type Shown = Extract<AgentUpdate, { kind: 'notice' | 'compaction' | 'media' }>

export type Item =
  | {
      readonly kind: 'text' | 'thought'
      readonly text: string
      readonly strand?: string | undefined
    }
  | { readonly kind: 'strand'; readonly strand: Strand }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Plan; readonly strand?: string | undefined }
  | { readonly kind: 'permission'; readonly permission: TurnPermission }
  | { readonly kind: 'question'; readonly question: TurnQuestion }
  | Shown

export interface KeptItems {
  readonly items: readonly Item[]
  /** How much of the two bounds is used. */
  readonly textChars: number
  readonly otherChars: number
  /** More text came than is kept. */
  readonly cut: boolean
}

export const noItems: KeptItems = { items: [], textChars: 0, otherChars: 0, cut: false }

/**
 * The output after one more piece. Text and thoughts grow, a tool call, the plan and a compaction
 * stand once and change; what is of no turn changes nothing here.
 */
export function withUpdate(output: KeptItems, update: AgentUpdate): KeptItems {
  switch (update.kind) {
    case 'text':
      return update.strand === undefined ? withText(output, update) : withAside(output, update)
    case 'thought':
      return withAside(output, update)
    case 'tool':
      return withCurrent(
        output,
        update,
        (item) => item.kind === 'tool' && item.call.toolCallId === update.call.toolCallId,
      )
    case 'plan':
      return withCurrent(
        output,
        update,
        (item) => item.kind === 'plan' && item.strand === update.strand,
      )
    case 'strand':
      return withCurrent(
        output,
        update,
        (item) => item.kind === 'strand' && item.strand.id === update.strand.id,
      )
    case 'compaction':
      return withCurrent(
        output,
        update,
        (item) => item.kind === 'compaction' && item.compactionId === update.compactionId,
      )
    case 'notice':
      return withNew(output, update)
    case 'media': {
      const added = withNew(output, update)
      // One for which there is no room is named: alone it is an answer, too.
      return added === output ? withNew(output, { ...update, data: null }) : added
    }
    default:
      return output
  }
}

type Words = Extract<AgentUpdate, { kind: 'text' | 'thought' }>

function withText(output: KeptItems, update: Words): KeptItems {
  const fitting = update.text.slice(0, maxTurnText - output.textChars)
  const cut = output.cut || fitting.length < update.text.length
  if (fitting === '') return cut === output.cut ? output : { ...output, cut }
  const items = grown(output.items, { ...update, text: fitting })
  return { ...output, items, cut, textChars: output.textChars + fitting.length }
}

/** A thought, or what a sub-agent says. */
function withAside(output: KeptItems, update: Words): KeptItems {
  const otherChars = output.otherChars + update.text.length
  if (update.text === '' || otherChars > maxOtherChars) return output
  const items = grown(output.items, update)
  return items.length > Math.max(maxTurnItems, output.items.length)
    ? output
    : { ...output, items, otherChars }
}

function grown(items: readonly Item[], update: Words): readonly Item[] {
  const last = items.at(-1)
  if (last?.kind !== update.kind || last.strand !== update.strand) return [...items, update]
  return items.with(-1, { ...last, text: last.text + update.text })
}

const charsOf = (item: Item): number => JSON.stringify(item).length

function withNew(output: KeptItems, item: Item): KeptItems {
  const otherChars = output.otherChars + charsOf(item)
  if (output.items.length >= maxTurnItems || otherChars > maxOtherChars) return output
  return { ...output, items: [...output.items, item], otherChars }
}

/** Replaces what the item is the current state of. */
function withCurrent(output: KeptItems, item: Item, isSame: (item: Item) => boolean): KeptItems {
  const index = output.items.findLastIndex(isSame)
  const before = output.items[index]
  if (!before) return withNew(output, item)
  const otherChars = output.otherChars + charsOf(item) - charsOf(before)
  if (otherChars > maxOtherChars) return output
  return { ...output, items: output.items.with(index, item), otherChars }
}

/**
 * The agent's own words, without thoughts, tool calls and what its sub-agents say (AC16). A picture
 * counts as a word.
 */
export const answerIn = (items: readonly Item[]): string => items.map(wordsOf).join('')

/** What was said after the last tool call began. */
export const textSinceTools = (items: readonly Item[]): string =>
  answerIn(items.slice(items.findLastIndex(({ kind }) => kind === 'tool') + 1))

function wordsOf(item: Item): string {
  if (item.kind === 'media') return `[${item.mimeType}]`
  return item.kind === 'text' && item.strand === undefined ? item.text : ''
}

/** The answer as it was kept stands where none of its pieces was seen. */
export const withAnswer = (items: readonly Item[], answer: string): readonly Item[] =>
  answer === '' || answerIn(items) !== '' ? items : [...items, { kind: 'text', text: answer }]

/** What an agent does at this moment, as its items tell. */
export function doingIn(items: readonly Item[]): DoingNow {
  const subAgents = items.filter(
    (item) => item.kind === 'strand' && isAtWork(item.strand.state),
  ).length
  const count = subAgents > 0 ? { subAgents } : {}
  const last = items.findLast(
    (item) => item.kind === 'tool' || item.kind === 'text' || item.kind === 'thought',
  )
  if (last?.kind === 'tool') {
    const { toolKind, title } = last.call
    return { step: 'tool', tool: { toolKind, title }, ...count }
  }
  const step = last?.kind === 'text' || last?.kind === 'thought' ? last.kind : null
  return { step, tool: null, ...count }
}

interface DoingNow {
  readonly step: 'tool' | 'text' | 'thought' | null
  readonly tool: Pick<ToolCall, 'toolKind' | 'title'> | null
  readonly subAgents?: number
}

const isAtWork = (state: Strand['state']): boolean => state === 'running' || state === 'asking'
