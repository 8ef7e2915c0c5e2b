/**
 * Shows a browser notification when an agent has answered or its work has ended (UI8), while the
 * page is hidden. Renders nothing.
 */
import { useEffect } from 'react'
import { onFinished } from '../live/finished.ts'
import { client, useHome } from '../live/queries.ts'
import { notificationsAllowed, showNotification } from '../preferences/browser-notifications.ts'
import { useWords } from '../translations/messages.tsx'

/** The length that a notification shows. */
const mostChars = 120
/** How many work sessions are searched, newest first: one that has just ended is among them. */
const maxSearched = 20

export function FinishedNotice() {
  const { finished: words, console: inConsole } = useWords()
  const home = useHome()
  useEffect(
    () =>
      onFinished((finished) => {
        if (!document.hidden || !notificationsAllowed()) return
        if (finished.what === 'answer') {
          const name = home?.agents.find(({ id }) => id === finished.who)?.name ?? finished.who
          const body = finished.text.slice(0, mostChars)
          return void showNotification({
            title: finished.failed ? inConsole.endedWithout(name) : words.answered(name),
            body,
            tag: finished.tag,
          })
        }
        const { projectId } = finished
        const project = home?.projects.find(({ id }) => id === projectId)?.name ?? projectId
        void lastEnded(projectId).then((ended) => {
          if (!ended) return
          const title =
            ended.state === 'completed' ? words.completed(project) : words.interrupted(project)
          return showNotification({
            title,
            body: (ended.contextSummary ?? '').slice(0, mostChars),
            tag: `work-${ended.id}`,
          })
        })
      }),
    [words, inConsole, home],
  )
  return null
}

async function lastEnded(projectId: string) {
  const path = '/api/projects/{projectId}/sessions'
  const { items } = await client
    .get(path, { params: { projectId }, query: { limit: maxSearched } })
    .catch(() => ({ items: [] }))
  const ended = items.filter(({ endedAt }) => endedAt !== null)
  return ended.sort((one, other) => (one.endedAt ?? '').localeCompare(other.endedAt ?? '')).at(-1)
}
