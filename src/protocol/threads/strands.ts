/**
 * The items of a turn by the sub-agent that they belong to (AC16). Pure. What waits for a person
 * stands outside of all, and nothing is hidden: an item whose strand is not there, or in a circle,
 * is the agent's own.
 */
import type { Strand } from '../turns/agent-update.ts'
import type { Item } from './turn-items.ts'

const strandsIn = (items: readonly Item[]): ReadonlyMap<string, Strand> =>
  new Map(items.flatMap((item) => (item.kind === 'strand' ? [[item.strand.id, item.strand]] : [])))

/** The items of a strand in their order; without one, of the agent itself. */
export function itemsOfStrand(items: readonly Item[], id?: string): readonly Item[] {
  const strands = strandsIn(items)
  const calls = new Set([...strands.values()].map(({ callId }) => callId))
  return items.filter(
    (item) =>
      // The row of the strand stands for its call.
      !(item.kind === 'tool' && calls.has(item.call.toolCallId)) && ownerOf(item, strands) === id,
  )
}

/** Two levels: what is deeper stands with the agent's own. */
function ownerOf(item: Item, strands: ReadonlyMap<string, Strand>): string | undefined {
  const named = strands.get(strandNamedBy(item) ?? '')
  if (!named) return undefined
  const isTop = strands.get(named.parentId ?? '') === undefined
  return item.kind === 'strand' && (!isTop || named.id === item.strand.id) ? undefined : named.id
}

function strandNamedBy(item: Item): string | undefined {
  switch (item.kind) {
    case 'text':
    case 'thought':
    case 'plan':
      return item.strand
    case 'strand':
      return item.strand.parentId
    case 'tool':
      return item.call.parentId
    case 'permission':
      return item.permission.outcome === null ? undefined : item.permission.call.parentId
    default:
      return undefined
  }
}

/** The call that a strand is. */
export const callOfStrand = (items: readonly Item[], { callId }: Strand) =>
  items.flatMap((item) =>
    item.kind === 'tool' && item.call.toolCallId === callId ? [item.call] : [],
  )[0]

/** The title of the sub-agent that asks for leave, where its agent says which one does. */
export const askerOf = (
  items: readonly Item[],
  { permission }: Extract<Item, { kind: 'permission' }>,
): string | undefined => strandsIn(items).get(permission.call.parentId ?? '')?.title
