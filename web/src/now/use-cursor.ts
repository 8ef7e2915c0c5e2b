/**
 * The cursor of Now in the browser: keys move it and press the buttons of its row, and what it is
 * on stays where it is while rows come and go.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { isMeantElsewhere } from '../shell/page-keys.ts'
import { afterKey, type Cursor, noCursor, putOn } from './cursor-keys.ts'

interface CursorOfNow {
  readonly cursor: Cursor
  readonly put: (id: string | undefined) => void
}

const rowOf = (list: HTMLElement | null, id: string): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`) ?? null

const pressable = '[data-press]:not(:disabled, [aria-disabled="true"])'

export function useCursor(
  list: RefObject<HTMLElement | null>,
  rows: readonly string[],
): CursorOfNow {
  const [cursor, setCursor] = useState(noCursor)
  const known = useRef({ cursor, rows })
  known.current = { cursor, rows }
  const put = (id: string | undefined) => setCursor(putOn(id, performance.now()))
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { cursor: before, rows: shown } = known.current
      const elsewhere = isMeantElsewhere(event)
      const { key, repeat } = event
      const now = performance.now()
      const { cursor: after, press } = afterKey(before, { key, repeat, elsewhere }, shown, now)
      known.current = { cursor: after, rows: shown }
      setCursor(after)
      if (elsewhere) return
      const at = after.at === undefined ? null : rowOf(list.current, after.at)
      if (key === 'j' || key === 'k') {
        event.preventDefault()
        at?.querySelector<HTMLElement>('[data-row]')?.focus({ preventScroll: true })
        at?.scrollIntoView({ block: 'nearest' })
      } else if (press !== undefined) {
        event.preventDefault()
        const buttons = [...(at?.querySelectorAll<HTMLElement>(pressable) ?? [])]
        buttons.filter((each) => each.checkVisibility())[press - 1]?.click()
      } else if (key === 'u') newestUndo(list.current)?.click()
      else if (key === 'Enter' && at?.querySelector('[data-row]') === document.activeElement) {
        event.preventDefault()
        at?.querySelector<HTMLElement>('[data-open]')?.click()
      } else if (key === 'Escape') setCursor(noCursor)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [list])
  useSteady(list, cursor.at)
  return { cursor: rows.includes(cursor.at ?? '') ? cursor : noCursor, put }
}

function newestUndo(list: HTMLElement | null): HTMLElement | undefined {
  const all = [...(list?.querySelectorAll<HTMLElement>('[data-undo]:not(:disabled)') ?? [])]
  return all.sort((a, b) => Number(b.dataset['undo']) - Number(a.dataset['undo'])).at(0)
}

/** Scrolls with the row under the cursor, or under the pointer, when others come or go above it. */
function useSteady(list: RefObject<HTMLElement | null>, at: string | undefined): void {
  const before = useRef<{ id: string; top: number } | undefined>(undefined)
  const anchor = () => {
    const row =
      (at !== undefined && rowOf(list.current, at)) ||
      list.current?.querySelector<HTMLElement>('[data-row-id]:hover')
    const id = row?.dataset['rowId']
    return row && id !== undefined ? { id, top: row.getBoundingClientRect().top } : undefined
  }
  useLayoutEffect(() => {
    const last = before.current
    const row = last && rowOf(list.current, last.id)
    if (last && row && (at === undefined || at === last.id)) {
      const moved = row.getBoundingClientRect().top - last.top
      if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' })
    }
    before.current = anchor()
  })
  useEffect(() => {
    const look = () => {
      before.current = anchor()
    }
    addEventListener('scroll', look, { passive: true })
    addEventListener('pointermove', look, { passive: true })
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('pointermove', look)
    }
  })
}
