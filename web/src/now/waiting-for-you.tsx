/** The first band of Now, one quiet line while there is nothing: approvals of all projects that wait for a decision, oldest first (AP5). */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { forgetDecided, inbox, useWaitingCount } from '../live/approvals.ts'
import { refetch } from '../live/queries.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

export function WaitingForYou() {
  const { now, approvals } = useWords()
  const { data, error } = useQuery(inbox)
  const count = useWaitingCount()
  // Approvals decided while the page is open stay with their decision; a later visit shows only waiting ones.
  useEffect(() => forgetDecided, [])
  const shown = data?.items ?? []
  return (
    <section aria-label={now.waiting} className="flex min-h-11 flex-wrap items-center gap-x-4 border-y border-line py-2.5">
      <h2 className="w-36 font-semibold max-sm:w-full">{now.waiting}</h2>
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch(inbox)} />}
      {data && (
        <p className={count ? 'text-quiet' : 'text-faint'} role="status">
          {count ? approvals.waiting(count) : now.waitingNone}
        </p>
      )}
      {shown.length > 0 && (
        <ul aria-label={now.waiting} className="w-full divide-y divide-line">
          {shown.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} />
          ))}
        </ul>
      )}
    </section>
  )
}
