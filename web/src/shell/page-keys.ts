/** Keys that work wherever nothing is being typed: `?` shows all of them, `c` goes to the composer. */
import { useEffect, useState } from 'react'

export const focusComposer = (): void => document.querySelector<HTMLTextAreaElement>('[data-composer] textarea')?.focus()

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

export function usePageKeys() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const busy = isTyping(event.target) || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
      if (busy || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '?') setOpen(true)
      else if (event.key === 'c' && document.querySelector('[data-composer]')) focusComposer()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return { open, hide: () => setOpen(false) }
}
