/**
 * A decision that is held (AP15): who decided what, and the way back for who did. One that was
 * overtaken by the end of the request says so.
 */
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { takeApproval } from '../live/approvals.ts'
import { useDecider } from '../live/display-names.ts'
import { client, useMe } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

type HeldBy = NonNullable<Approval['held']>

export function HeldDecision({ approval }: { approval: Approval }) {
  const { approvals } = useWords()
  const me = useMe()
  const whoOf = useHolder()
  const { waiting, error, send } = useSending<Approval>()
  const { held } = approval
  if (held === null) return null
  async function takeBack() {
    const path = '/api/approvals/{approvalId}/decision'
    const params = { approvalId: String(approval.id) }
    const taken = await send([approval.id, held?.until, 'take back'], (options) =>
      client.delete(path, { params, ...options }),
    )
    if (taken) takeApproval(taken)
  }
  return (
    <div role="status" className="flex flex-col gap-1 border-l-2 border-edge pl-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{approvals.decided[held.status](whoOf(held))}</span>
        <span className="text-quiet">{approvals.held}</span>
        {held.by === me?.id && (
          <Button disabled={waiting} onClick={() => void takeBack()}>
            {approvals.takeBack}
          </Button>
        )}
      </p>
      <ProblemNote error={error} />
    </div>
  )
}

/** What was decided and did not come to pass, because the request ended before. */
export function Overtaken({ approval: { held } }: { approval: Approval }) {
  const { approvals } = useWords()
  const whoOf = useHolder()
  if (held === null) return null
  return (
    <p className="text-sm text-warn">
      {approvals.overtaken(approvals.decided[held.status](whoOf(held)))}
    </p>
  )
}

function useHolder(): (held: HeldBy) => string {
  const { approvals } = useWords()
  const deciderOf = useDecider()
  const me = useMe()
  return ({ by }) => (by === me?.id ? approvals.byYou : deciderOf(by))
}
