/**
 * Closes a session (SL6): its process ends and its place goes. What would be lost is shown first,
 * and confirmed is exactly that.
 */
import { useState } from 'react'
import type { Losses } from '../../../src/protocol/worktrees/worktree.ts'
import { client, invalidate } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { notify } from '../parts/notices.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { WhatIsLost } from './remove-worktree.tsx'

export async function closeSession(key: string, confirm?: string): Promise<void> {
  const body = confirm === undefined ? {} : { confirm }
  await client.post('/api/conversations/{key}/close', { params: { key }, body })
}

/** The lists that show a session or its place. */
export async function refreshAfterClosing(projectId: string, keys: readonly string[]) {
  for (const key of keys) refreshRecent(key)
  await invalidate(['worktrees', projectId])
  await invalidate(['sessions-of', projectId])
}

interface CloseSessionProps {
  readonly conversationKey: string
  readonly projectId: string
  readonly title: string
}

export function CloseSession({ conversationKey, projectId, title }: CloseSessionProps) {
  const { worktrees: words } = useWords()
  const { send, waiting, error } = useRequest()
  const [asking, setAsking] = useState(false)
  const problem = problemIn(error)
  const losses = problem?.code === 'would_lose' ? (problem['losses'] as Losses) : undefined

  const close = async (confirm?: string): Promise<void> => {
    const isClosed = await send(() => closeSession(conversationKey, confirm))
    setAsking(!isClosed)
    if (!isClosed) return
    notify(words.closed(title))
    await refreshAfterClosing(projectId, [conversationKey])
  }

  return (
    <>
      <SubmitButton
        type="button"
        look="quiet"
        className="min-h-7 px-2 text-sm"
        waiting={waiting && !asking}
        aria-label={words.closeName(title)}
        onClick={() => void close()}
      >
        {words.close}
      </SubmitButton>
      {asking && (
        <Confirm
          title={words.closeName(title)}
          open
          onClose={() => setAsking(false)}
          action={
            losses && (
              <SubmitButton
                type="button"
                look="danger"
                waiting={waiting}
                onClick={() => void close(losses.digest)}
              >
                {words.closeAnyway}
              </SubmitButton>
            )
          }
        >
          {losses ? <WhatIsLost losses={losses} /> : <ProblemNote error={error} />}
        </Confirm>
      )}
    </>
  )
}
