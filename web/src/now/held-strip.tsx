/**
 * What was just decided, or taken off Now: it says so, when it is carried out, and how to undo it.
 * A line shrinks until then.
 */
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { isHeldBack } from '../approvals/waiting.ts'
import { takeApproval } from '../live/approvals.ts'
import { useDecider } from '../live/display-names.ts'
import { client, useMe } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { tickingClock } from '../parts/ticking-clock.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import type { NowRow } from './now-rows.ts'
import { type Settling, undoMs, undoSettling } from './settling.ts'
import { useAsked } from './what-happens.tsx'

const useNow = tickingClock(1000)

/** The decision of one that can be taken back. */
export function HeldStrip({ row, title }: { row: NowRow; title?: string }) {
  const { approvals } = useWords()
  const asked = useAsked()
  const me = useMe()
  const deciderOf = useDecider()
  const approval = row.approvals.findLast(isHeldBack)
  const { waiting, error, send } = useSending<Approval>()
  const held = approval?.held
  if (!approval || !held) return null
  const undo = async () => {
    const params = { approvalId: String(approval.id) }
    const taken = await send([approval.id, held.until, 'take back'], (options) =>
      client.delete('/api/approvals/{approvalId}/decision', { params, ...options }),
    )
    if (taken) takeApproval(taken)
  }
  const who = held.by === me?.id ? approvals.byYou : deciderOf(held.by)
  return (
    <>
      <Strip
        title={title}
        text={`${approvals.decided[held.status](who)}: ${asked(approval)}`}
        until={Date.parse(held.until)}
        waiting={waiting}
        onUndo={held.by === me?.id ? () => void undo() : undefined}
      />
      <ProblemNote error={error} />
    </>
  )
}

export function SettlingStrip({ settling, title }: { settling: Settling; title: string }) {
  const { now } = useWords()
  return (
    <Strip
      title={title}
      text={now.taken[settling.what]}
      until={settling.until}
      waiting={false}
      onUndo={() => undoSettling(settling.id)}
    />
  )
}

interface StripProps {
  readonly title: string | undefined
  readonly text: string
  readonly until: number
  readonly waiting: boolean
  readonly onUndo: (() => void) | undefined
}

function Strip({ title, text, until, waiting, onUndo }: StripProps) {
  const { now } = useWords()
  const current = useNow()
  const left = Math.max(0, Math.ceil((until - current) / 1000))
  return (
    <div
      role="status"
      className="relative flex min-h-9 items-center gap-x-3 py-0.5 text-quiet max-md:min-h-14"
    >
      <StateDot state="finished" />
      <span className="flex min-w-0 flex-1 gap-x-3 max-md:flex-col">
        {title !== undefined && (
          <span className="max-w-2/5 shrink-0 truncate max-md:max-w-full" dir="auto">
            {title}
          </span>
        )}
        <span className="min-w-0 truncate text-sm" dir="auto">
          {text}
        </span>
      </span>
      {left > 0 && (
        <span aria-live="off" className="shrink-0 text-xs text-faint tabular-nums">
          {now.sentIn(left)}
        </span>
      )}
      {onUndo && left > 0 && (
        <Button
          className="min-h-7 px-2 text-sm"
          data-undo={until}
          disabled={waiting}
          onClick={onUndo}
        >
          {now.undo}
          <KeyCap name="u" />
        </Button>
      )}
      {left > 0 && (
        <span
          aria-hidden="true"
          className="shrinking absolute inset-x-0 bottom-0 h-0.5 origin-left bg-accent"
          style={{ animationDuration: `${undoMs}ms` }}
        />
      )}
    </div>
  )
}
