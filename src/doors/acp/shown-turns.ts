/**
 * What an editor was shown of the turns of a session, and what is new to it. The position behind
 * each update says where to go on after a connection was lost: `seq/turn.item.characters`.
 */
import type { ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import type { Item } from '../../protocol/threads/turn-items.ts'
import { type AcpUpdate, type ItemPlace, updatesOf } from './updates.ts'

export interface Position {
  /** The newest message of a person that was shown. */
  readonly seq: number
  readonly turnId: string
  /** -1: nothing but its prompt. */
  readonly item: number
  readonly characters: number
}

export interface PlacedUpdate {
  readonly update: AcpUpdate
  readonly at: Omit<Position, 'seq'>
}

/** Requests stand among the items until they are decided or withdrawn: they have no place. */
export const shownItems = (turn: ThreadTurn): readonly Item[] =>
  turn.items.filter(({ kind }) => kind !== 'permission' && kind !== 'question')

/** The position behind a turn; before all of them without one. */
export function endOf(turn: ThreadTurn | undefined): Omit<Position, 'seq'> {
  const items = turn ? shownItems(turn) : []
  const last = items.at(-1)
  const characters = last?.kind === 'text' || last?.kind === 'thought' ? last.text.length : 0
  return { turnId: turn?.id ?? 'none', item: Math.max(0, items.length - 1), characters }
}

const positionForm = /^(\d{1,15})\/([\w-]{1,100})\.(-1|\d{1,6})\.(\d{1,9})$/

export function parsePosition(text: unknown): Position | undefined {
  const [, seq, turnId, item, characters] =
    typeof text === 'string' ? (positionForm.exec(text) ?? []) : []
  if (turnId === undefined) return undefined
  return { seq: Number(seq), turnId, item: Number(item), characters: Number(characters) }
}

export const positionText = ({ seq, turnId, item, characters }: Position): string =>
  `${seq}/${turnId}.${item}.${characters}`

export class ShownTurns {
  readonly #turns = new Map<string, readonly Item[]>()

  /** All of them are known to the editor, or are not to be shown. */
  pass(turns: readonly ThreadTurn[]): void {
    for (const turn of turns) this.#turns.set(turn.id, shownItems(turn))
  }

  /** Known up to a position: what can change in place is shown again, text goes on. */
  passUntil(turns: readonly ThreadTurn[], { turnId, item, characters }: Position): void {
    const at = turns.findIndex(({ id }) => id === turnId)
    // Older than what is kept at hand: all of these came later.
    if (at === -1) return
    this.pass(turns.slice(0, at))
    const turn = turns[at] as ThreadTurn
    const items = shownItems(turn).slice(0, item + 1)
    const last = items[item]
    const isText = last?.kind === 'text' || last?.kind === 'thought'
    const cut = isText ? items.with(item, { ...last, text: last.text.slice(0, characters) }) : items
    this.#turns.set(turnId, cut.map(asFirstShown))
  }

  has({ id }: ThreadTurn): boolean {
    return this.#turns.has(id)
  }

  /** What is new in these, in order; they count as shown. */
  *newIn(
    turns: readonly ThreadTurn[],
    place: Omit<ItemPlace, 'messageId'>,
  ): Generator<PlacedUpdate> {
    for (const turn of turns) {
      const before = this.#turns.get(turn.id)
      const now = shownItems(turn)
      this.#turns.set(turn.id, now)
      for (const [index, item] of now.entries()) {
        if (before?.[index] === item) continue
        const messageId = `${turn.id}.${index}`
        const characters = item.kind === 'text' || item.kind === 'thought' ? item.text.length : 0
        const at = { turnId: turn.id, item: index, characters }
        for (const update of updatesOf(before?.[index], item, { ...place, messageId }))
          yield { update, at }
      }
    }
  }

  /** Forgets what is not kept at hand any more. */
  keep(turns: readonly ThreadTurn[]): void {
    if (this.#turns.size <= turns.length) return
    const present = new Set(turns.map(({ id }) => id))
    for (const id of this.#turns.keys()) if (!present.has(id)) this.#turns.delete(id)
  }
}

/**
 * After a lost connection it is not known how much of a call or a plan was shown: begun, its state
 * replaces whatever was.
 */
function asFirstShown(item: Item): Item {
  if (item.kind === 'plan') return { ...item, entries: [] }
  if (item.kind !== 'tool') return item
  const { toolCallId, toolKind } = item.call
  const call = { ...item.call, title: '', locations: [], content: [], input: null, cut: false }
  return { kind: 'tool', call: { ...call, toolCallId, toolKind, status: 'pending' } }
}
