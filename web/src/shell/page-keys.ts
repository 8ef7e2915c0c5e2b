/**
 * Keys that work wherever nothing is being typed: `?` shows all of them, `c` goes to the composer,
 * `a` and `r` answer what an agent asks in a session; these two with Alt also while one types.
 */
import { useEffect, useState } from 'react'

export const focusComposer = (): void =>
  document.querySelector<HTMLTextAreaElement>('[data-composer] textarea')?.focus()

/** Keys without a modifier belong to what is typed in; elsewhere they are ours. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/**
 * Answers the permission in focus, else the oldest of the column in focus, else the oldest. One out
 * of sight is shown first.
 */
function decide(decision: 'approved' | 'rejected'): boolean {
  const open = '[data-permission][data-outcome="open"]'
  const focus = document.activeElement
  const card =
    focus?.closest<HTMLElement>(open) ??
    focus?.closest('[data-role], [data-column]')?.querySelector<HTMLElement>(open) ??
    [...document.querySelectorAll<HTMLElement>(open)].find(
      ({ offsetParent }) => offsetParent !== null,
    )
  const button = card?.querySelector<HTMLButtonElement>(`[data-decide="${decision}"]`)
  if (!card || !button) return false
  const { top, bottom } = button.getBoundingClientRect()
  if (top >= 0 && bottom <= innerHeight) button.click()
  else {
    card.scrollIntoView({ block: 'center' })
    card.focus({ preventScroll: true })
  }
  return true
}

const decisionOf = (event: KeyboardEvent): 'approved' | 'rejected' | undefined =>
  event.code === 'KeyA' ? 'approved' : event.code === 'KeyR' ? 'rejected' : undefined

export function usePageKeys() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const decision = decisionOf(event)
      const hasDialog = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null
      if (hasDialog || event.defaultPrevented || event.ctrlKey || event.metaKey) return
      if (event.altKey ? !decision : isTyping(event.target)) return
      if (decision) {
        if (!decide(decision)) return
      } else if (event.key === '?') setOpen(true)
      else if (event.key === 'c' && document.querySelector('[data-composer]')) focusComposer()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return { open, hide: () => setOpen(false) }
}
