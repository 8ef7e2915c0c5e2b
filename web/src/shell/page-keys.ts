/**
 * Keys that work wherever nothing is being typed: `?` shows all of them, `n` begins a session, `c`
 * goes to the composer. No letter decides anything.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useMay } from '../live/queries.ts'

export const focusComposer = (): void =>
  document.querySelector<HTMLTextAreaElement>('[data-composer] textarea')?.focus()

/** Keys without a modifier belong to what is typed in; elsewhere they are ours. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
      !target.matches('[type="checkbox"], [type="radio"]')))

/** A key that is no key of the page: it is typed, meant for a dialog, or has a modifier. */
export const isMeantElsewhere = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  event.defaultPrevented ||
  isTyping(event.target) ||
  document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

export function usePageKeys() {
  const [open, setOpen] = useState(false)
  const mayWrite = useMay('write')
  const navigate = useNavigate()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isMeantElsewhere(event)) return
      if (event.key === '?') setOpen(true)
      else if (event.key === 'n' && mayWrite)
        void navigate({ to: '.', search: (search) => ({ ...search, new: 'session' }) })
      else if (event.key === 'c' && document.querySelector('[data-composer]')) focusComposer()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [mayWrite, navigate])
  return { open, hide: () => setOpen(false) }
}
