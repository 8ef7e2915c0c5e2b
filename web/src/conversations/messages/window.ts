/**
 * The part of a conversation that is on the page: a window over all that was ever said, moved by
 * what is read on either side. It never holds more than `mostShown`, so a conversation of 100,000
 * messages costs what one of 300 does (UI7). Pure.
 */
import type { ArchivePart } from '../../../../src/protocol/conversations/archive.ts'
import type { Message } from '../../../../src/protocol/conversations/message.ts'

export interface MessageWindow {
  /** Oldest first, without holes. */
  readonly items: readonly Message[]
  readonly older: boolean
  readonly newer: boolean
}

export const pageSize = 100
export const maxShown = 300

export const windowOf = ({ items, older, newer }: ArchivePart): MessageWindow => ({
  items,
  older,
  newer,
})

/** Messages far from the view are dropped, and can be read again. */
export function withOlder(window: MessageWindow, part: ArchivePart): MessageWindow {
  const first = window.items[0]?.seq ?? Number.POSITIVE_INFINITY
  const items = [...part.items.filter(({ seq }) => seq < first), ...window.items]
  return {
    items: items.slice(0, maxShown),
    older: part.older,
    newer: window.newer || items.length > maxShown,
  }
}

export function withNewer(window: MessageWindow, part: ArchivePart): MessageWindow {
  const last = window.items.at(-1)?.seq ?? -1
  const items = [...window.items, ...part.items.filter(({ seq }) => seq > last)]
  return {
    items: items.slice(-maxShown),
    older: window.older || items.length > maxShown,
    newer: part.newer,
  }
}
