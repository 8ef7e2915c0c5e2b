/** The words for somebody who may not decide: nothing waits for them (AP5). Pure. */
import type { Messages } from './en.ts'

export function forWatchers(words: Messages): Messages {
  const { now, approvals, chat, console } = words
  const waiting = now.waitingForOthers
  return {
    ...words,
    now: { ...now, waiting, waitingNone: now.waitingForOthersNone },
    approvals: { ...approvals, statuses: { ...approvals.statuses, pending: waiting } },
    chat: { ...chat, state: { ...chat.state, asking: waiting } },
    console: { ...console, states: { ...console.states, waiting } },
  }
}
