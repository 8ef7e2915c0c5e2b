/** The number of approvals that wait for the person, shown beside the link to them. */
import { useWaitingForMe } from '../live/approvals.ts'
import { useWords } from '../translations/messages.tsx'

export function WaitingBadge({ corner = false }: { corner?: boolean }) {
  const { approvals } = useWords()
  const count = useWaitingForMe()
  if (!count) return null
  return (
    <span
      className={`min-w-4.5 rounded-full bg-warn-wash px-1.5 text-center text-xs font-medium text-warn tabular-nums ${corner ? 'absolute -top-1.5 left-3' : 'ml-auto'}`}
    >
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{approvals.waiting(count)}</span>
    </span>
  )
}
