/** What Escape does in a session: it leaves the field; twice in a moment, it stops the agent. */
import { type KeyboardEvent, useRef } from 'react'
import { isComposing } from '../parts/composing.ts'
import { isTyping } from '../shell/page-keys.ts'

const twiceMs = 500

/** `stop`: undefined where nothing runs, or it is not the person's to stop. */
export function useEscape(stop: (() => void) | undefined) {
  const pressedAt = useRef(Number.NEGATIVE_INFINITY)
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'Escape' || isComposing(event) || event.defaultPrevented) return
    const { currentTarget: view, target, timeStamp } = event
    // A menu of it lies elsewhere on the page.
    if (!(target instanceof Node && view.contains(target))) return
    const isSecond = timeStamp - pressedAt.current <= twiceMs
    pressedAt.current = timeStamp
    if (isSecond && stop) stop()
    else if (isTyping(target))
      view.querySelector<HTMLElement>('[role="log"]')?.focus({ preventScroll: true })
    else return
    event.preventDefault()
  }
}
