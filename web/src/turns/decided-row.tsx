/**
 * What was decided in a session, in a row that stays: the decision, about what, who and when; and
 * how what waits for one looks.
 */

import type { ReactNode } from 'react'
import type { PermissionOutcome } from '../../../src/protocol/consoles/user-session.ts'
import { useAskingWords } from '../approvals/words.ts'
import { useDecider } from '../live/display-names.ts'
import { CheckIcon, CloseIcon, FoldIcon, HistoryIcon } from '../parts/icons.tsx'
import { useWriting } from '../translations/messages.tsx'

export const waitingClass =
  'flex min-w-0 flex-col gap-2 rounded-md border border-l-3 border-warn/40 border-l-warn ' +
  'bg-warn-wash px-3 py-2.5'

const rowClass =
  '-mx-1.5 flex min-h-7 flex-wrap items-center gap-x-2 rounded-md px-1.5 text-sm text-quiet ' +
  'hover:bg-hover max-md:min-h-9'

interface DecidedRowProps {
  readonly label: string
  readonly data: Readonly<Record<`data-${string}`, string | number>>
  readonly outcome: PermissionOutcome
  readonly verb: string
  readonly what: ReactNode
  /** The answer, where it says more than the verb. */
  readonly said?: string | undefined
  readonly decidedBy: string | null
  readonly at: string | null
  readonly children?: ReactNode
}

export function DecidedRow({
  label,
  data,
  outcome,
  verb,
  what,
  said,
  decidedBy,
  at,
  children,
}: DecidedRowProps) {
  const asking = useAskingWords()
  const writing = useWriting()
  const deciderOf = useDecider()
  const noAnswer = outcome === 'expired' || outcome === 'withdrawn' ? asking[outcome] : undefined
  const who = decidedBy && decidedBy !== 'system' && deciderOf(decidedBy)
  const when = at && writing.moment(at, Date.now())
  return (
    <section aria-label={label} {...data} className="min-w-0">
      <details className="min-w-0">
        <summary className={rowClass}>
          <FoldIcon />
          <OutcomeIcon outcome={outcome} />
          <span className="text-ink">{verb}</span>
          <span className="min-w-0 flex-1 truncate" dir="auto">
            {what}
            {said !== undefined && <span className="text-faint"> {asking.quoted(said)}</span>}
            {noAnswer && <span className="text-faint"> {noAnswer}</span>}
          </span>
          <span
            role="status"
            className="text-xs text-faint tabular-nums"
            title={at ? writing.exact(at) : undefined}
          >
            {[who, when].filter(Boolean).join(', ')}
          </span>
        </summary>
        <div className="my-1 min-w-0 pl-5.5">{children}</div>
      </details>
    </section>
  )
}

function OutcomeIcon({ outcome }: { outcome: PermissionOutcome }) {
  if (outcome === 'allowed') return <CheckIcon className="size-3.5 text-accent" />
  if (outcome === 'denied') return <CloseIcon className="size-3.5 text-bad" />
  return <HistoryIcon />
}
