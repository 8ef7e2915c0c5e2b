/**
 * Shows a browser notification when an approval begins to wait for the person (AP5). Renders
 * nothing.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { inbox } from '../live/approvals.ts'
import { useHome, useMay } from '../live/queries.ts'
import { showNotification } from '../preferences/browser-notifications.ts'
import { useWords } from '../translations/messages.tsx'
import { askedTitle } from '../translations/sandbox-requests.ts'

/** The length that a notification shows. */
const mostChars = 120

export function WaitingNotice() {
  const words = useWords()
  const { approvals } = words
  const agents = useHome()?.agents
  const mayDecide = useMay('approve')
  const items = useQuery({ ...inbox, enabled: false }).data?.items
  /**
   * The approvals known before; undefined at first, because those that waited before the page was
   * opened are not announced.
   */
  const known = useRef<ReadonlySet<number> | undefined>(undefined)
  useEffect(() => {
    if (!items) return
    const waiting = items.filter(({ status }) => status === 'pending')
    const before = known.current
    known.current = new Set(waiting.map(({ id }) => id))
    if (!before || !mayDecide) return
    for (const {
      id,
      leaderId,
      checkpointType,
      instructionContent,
      permission,
      question,
    } of waiting.filter((each) => !before.has(each.id))) {
      const kind = permission
        ? approvals.permission
        : question
          ? approvals.question
          : checkpointType
      const said =
        permission && instructionContent
          ? askedTitle(instructionContent, words)
          : instructionContent
      const body = said ? `${kind}: ${said}` : kind
      const leader = agents?.find((agent) => agent.id === leaderId)?.name ?? leaderId
      void showNotification({
        title: approvals.asked(leader),
        body: body.slice(0, mostChars),
        tag: `approval-${id}`,
      })
    }
  }, [items, words, approvals, agents, mayDecide])
  return null
}
