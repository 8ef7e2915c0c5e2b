/**
 * What an agent did in a turn, in the order it came, and how each piece changes it. Pure: server,
 * page, command line and doors put the pieces of a turn together here and nowhere else. Never holds
 * more than its bounds, whatever an agent sends.
 */
import type { AskedPermission, PermissionOutcome } from '../consoles/user-session.ts'
import type { AgentUpdate, ToolCall } from '../turns/agent-update.ts'
import type { AskedQuestion, QuestionAnswer } from '../turns/question.ts'

/** Characters of the agent's text; more is cut and marked. */
export const maxTurnText = 1024 * 1024
/** Characters of everything else; later pieces are left out. */
export const maxOtherChars = 1024 * 1024
/** At this many nothing new is added but text. */
export const maxTurnItems = 5000

export interface TurnPermission extends AskedPermission {
  /** null: it waits. */
  readonly outcome: PermissionOutcome | null
  readonly optionId: string | null
  readonly decidedBy: string | null
  readonly resolvedAt: string | null
}

export interface TurnQuestion extends AskedQuestion {
  readonly outcome: PermissionOutcome | null
  readonly content: QuestionAnswer['content']
  readonly decidedBy: string | null
  readonly resolvedAt: string | null
}

export type Plan = Extract<AgentUpdate, { kind: 'plan' }>['entries']
type Shown = Extract<AgentUpdate, { kind: 'notice' | 'compaction' | 'media' }>

export type Item =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Plan }
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
      return withText(output, update.text)
    case 'thought':
      return withThought(output, update.text)
    case 'tool':
      return withCurrent(
        output,
        update,
        (item) => item.kind === 'tool' && item.call.toolCallId === update.call.toolCallId,
      )
    case 'plan':
      return withCurrent(output, update, (item) => item.kind === 'plan')
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

function withText(output: KeptItems, text: string): KeptItems {
  const fitting = text.slice(0, maxTurnText - output.textChars)
  const cut = output.cut || fitting.length < text.length
  if (fitting === '') return cut === output.cut ? output : { ...output, cut }
  const items = grown(output.items, 'text', fitting)
  return { ...output, items, cut, textChars: output.textChars + fitting.length }
}

function withThought(output: KeptItems, text: string): KeptItems {
  const otherChars = output.otherChars + text.length
  const isFull = output.items.length >= maxTurnItems && output.items.at(-1)?.kind !== 'thought'
  if (text === '' || isFull || otherChars > maxOtherChars) return output
  return { ...output, items: grown(output.items, 'thought', text), otherChars }
}

function grown(items: readonly Item[], kind: 'text' | 'thought', text: string): readonly Item[] {
  const last = items.at(-1)
  if (last?.kind !== kind) return [...items, { kind, text }]
  return items.with(-1, { kind, text: last.text + text })
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

/** The agent's own words, without thoughts and tool calls. A picture counts as a word. */
export const answerIn = (items: readonly Item[]): string => items.map(wordsOf).join('')

/** What was said after the last tool call began. */
export const textSinceTools = (items: readonly Item[]): string =>
  answerIn(items.slice(items.findLastIndex(({ kind }) => kind === 'tool') + 1))

function wordsOf(item: Item): string {
  if (item.kind === 'media') return `[${item.mimeType}]`
  return item.kind === 'text' ? item.text : ''
}

/** The answer as it was kept stands where none of its pieces was seen. */
export const withAnswer = (items: readonly Item[], answer: string): readonly Item[] =>
  answer === '' || items.some(({ kind }) => kind === 'text' || kind === 'media')
    ? items
    : [...items, { kind: 'text', text: answer }]
