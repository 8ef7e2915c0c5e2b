/**
 * Joins the logged pieces of a turn into its text and its items, and keeps the whole output of tool
 * calls.
 */

import type { StreamName } from '../../domain/stream-name.ts'
import { maxAnswerChars } from '../../protocol/consoles/user-session.ts'
import { storable } from '../../protocol/text.ts'
import { AgentUpdate, type ToolCall } from '../../protocol/turns/agent-update.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  deleteOutputItems,
  firstOutputItem,
  outputKind,
  piecesAfter,
  selectLastOutputItem,
} from '../../store/turns/turn-items.ts'

/**
 * Characters kept in one turn's items. Later pieces are left out; the answer text has its own
 * limit.
 */
const maxItemsChars = 1024 * 1024

type Plan = Extract<AgentUpdate, { kind: 'plan' }>['entries']

/**
 * Joins the logged pieces of a turn into its items when it ends. Streaming costs one event row per
 * piece. Consecutive text or thoughts become one item; a tool call or the plan is one item in its
 * last state.
 */
export type TurnItem =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Plan }
  | Extract<AgentUpdate, { kind: 'notice' | 'compaction' | 'media' }>

export interface TurnOutput {
  /** The agent's text without thoughts and tool calls. */
  readonly text: string
  /** The text after the last tool call began. */
  readonly sinceTools: string
  readonly cut: boolean
  readonly items: readonly TurnItem[]
  readonly tools: readonly string[]
}

export interface LoggedPieces {
  readonly stream: StreamName
  readonly turnId: string
  readonly startedSeq: number
}

/** `unwritten`: updates of the current transaction, which are not in the log yet. */
export async function readTurnOutput(
  reader: Reader,
  which: LoggedPieces,
  unwritten: readonly unknown[],
): Promise<TurnOutput> {
  const joined = new OutputBuilder()
  for await (const update of piecesAfter(reader, which)) joined.add(update)
  for (const update of unwritten) joined.add(update)
  return joined.end()
}

/**
 * AC6: keeps a piece of a tool call's whole output. Its first piece replaces the output kept
 * before.
 */
export async function keepOutput(
  tx: Tx,
  turnId: string,
  { toolCallId, part, text }: Extract<AgentUpdate, { kind: 'output' }>,
): Promise<void> {
  const kind = outputKind(toolCallId)
  if (part === 0) await tx.write(deleteOutputItems, { turnId, kind })
  const n = ((await tx.first(selectLastOutputItem, { turnId }))?.last ?? firstOutputItem - 1) + 1
  await tx.insert('turn_items', { turn_id: turnId, n, kind, body: JSON.stringify(text) })
}

/** Not an id that an agent would use for a tool call. */
const compactionKey = (id: string): string => `compaction ${id}`

class OutputBuilder {
  #text = ''
  #sinceTools = 0
  #chars = 0
  readonly #items: TurnItem[] = []
  readonly #calls = new Map<string, number>()
  #plan: number | undefined

  add(said: unknown): void {
    const parsed = AgentUpdate.safeParse(said)
    if (!parsed.success) return
    const update = parsed.data
    if (update.kind === 'text') this.#text += update.text
    // A picture alone is an answer, too.
    if (update.kind === 'media') this.#text += `[${update.mimeType}]`
    if (update.kind === 'tool' && !this.#calls.has(update.call.toolCallId))
      this.#sinceTools = this.#text.length
    if (update.kind === 'text' || update.kind === 'thought') this.#join(update.kind, update.text)
    else if (update.kind === 'tool')
      this.#put(this.#calls.get(update.call.toolCallId), update, update.call.toolCallId)
    else if (update.kind === 'plan') this.#put(this.#plan, update)
    else if (update.kind === 'compaction')
      this.#put(
        this.#calls.get(compactionKey(update.compactionId)),
        update,
        compactionKey(update.compactionId),
      )
    else if (update.kind === 'notice' || update.kind === 'media') this.#add(update)
  }

  end(): TurnOutput {
    const text = storable(this.#text.slice(0, maxAnswerChars))
    const tools = this.#items.flatMap((item) => (item.kind === 'tool' ? [item.call.title] : []))
    return {
      text,
      sinceTools: storable(this.#text.slice(this.#sinceTools)),
      cut: this.#text.length > maxAnswerChars,
      items: this.#items,
      tools,
    }
  }

  #join(kind: 'text' | 'thought', text: string): void {
    if (!this.#fits(text.length)) return
    const last = this.#items.at(-1)
    if (last?.kind === kind) this.#items[this.#items.length - 1] = { kind, text: last.text + text }
    else this.#items.push({ kind, text })
  }

  #add(item: TurnItem): void {
    if (this.#fits(JSON.stringify(item).length)) this.#items.push(item)
  }

  #put(at: number | undefined, item: TurnItem, id?: string): void {
    const before = at === undefined ? 0 : JSON.stringify(this.#items[at]).length
    if (!this.#fits(JSON.stringify(item).length - before)) return
    if (at !== undefined) this.#items[at] = item
    else if (id === undefined) this.#plan = this.#items.push(item) - 1
    else this.#calls.set(id, this.#items.push(item) - 1)
  }

  #fits(chars: number): boolean {
    if (this.#chars + chars > maxItemsChars) return false
    this.#chars += chars
    return true
  }
}
