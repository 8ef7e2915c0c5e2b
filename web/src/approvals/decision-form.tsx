/**
 * Decides an approval: approve, reject, or send back with what should be different. The first
 * decision stands (AP1). What an agent asks leave for is let be done or not: there is nothing to
 * send back (AP4).
 */
import { type ReactNode, useState } from 'react'
import type { AlwaysTerms } from '../../../src/protocol/approvals/allowance.ts'
import { isChoice } from '../../../src/protocol/approvals/allowance-scopes.ts'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { cautionOf } from '../../../src/protocol/approvals/wanted.ts'
import { readApproval, takeApproval } from '../live/approvals.ts'
import { useDisplayName } from '../live/display-names.ts'
import { useDraft } from '../live/draft.ts'
import { client, useMe } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { AlwaysForm } from './always-form.tsx'

type Verdict = Exclude<Approval['status'], 'pending'>

interface DecisionFormProps {
  readonly approval: Approval
  /** For how many seconds the decision can be undone (AP15). */
  readonly hold?: number | undefined
  readonly onDecided?: (() => void) | undefined
  /** Beside the buttons. */
  readonly foot?: ReactNode
}

export function DecisionForm({ approval, hold, onDecided, foot }: DecisionFormProps) {
  const { approvals } = useWords()
  const round = approval.revisionHistory.length
  const revisable = approval.permission === null
  const options = approval.permission?.options ?? []
  const isQuestion = approval.permission !== null && isChoice(options)
  const [feedback, setFeedback, clearFeedback] = useDraft(`approval.${approval.id}.${round}`, '')
  const [needed, setNeeded] = useState(false)
  const { waiting, error, send, stop } = useSending<Approval>()

  async function decide(
    status: Verdict,
    { always, optionId }: { always?: AlwaysTerms; optionId?: string } = {},
  ) {
    const text = feedback.trim()
    setNeeded(status === 'revision_requested' && text === '')
    if (status === 'revision_requested' && text === '') return
    const params = { projectId: approval.projectId, approvalId: String(approval.id) }
    const body = {
      status,
      ...(text && { feedback: text }),
      ...(always && { always }),
      ...(optionId && { optionId }),
      ...(hold !== undefined && { hold }),
    }
    const path = '/api/projects/{projectId}/approvals/{approvalId}/decision'
    const decided = await send([approval.id, round, body], async (options) => {
      try {
        return await client.post(path, { params, body, ...options })
      } catch (failure) {
        if (problemIn(failure)?.code === 'approval_decided')
          await readApproval(approval).then(takeApproval, ignore)
        throw failure
      }
    })
    if (!decided) return
    clearFeedback()
    takeApproval(decided)
    onDecided?.()
  }

  // The first button is the one that we advise (UI25).
  const isCareful =
    !isQuestion && approval.permission !== null && cautionOf(approval.permission.call) !== undefined
  const refuse = (
    <Button
      look={isCareful ? 'primary' : 'danger'}
      disabled={waiting}
      data-decide="rejected"
      data-press
      onClick={() => void decide('rejected')}
    >
      {isQuestion ? approvals.decline : approvals.reject}
    </Button>
  )
  const tooLate = problemIn(error)?.code === 'approval_decided'
  if (approval.status !== 'pending') return tooLate ? <TooLate error={error} /> : null
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isQuestion) void decide('approved')
      }}
    >
      {revisable && (
        <TextAreaField
          label={approvals.feedback}
          placeholder={approvals.feedbackHint}
          optional
          prose
          rows={1}
          maxLength={100_000}
          value={feedback}
          onValue={(text) => {
            setFeedback(text)
            setNeeded(false)
          }}
          error={needed ? approvals.feedbackNeeded : undefined}
        />
      )}
      {tooLate ? <TooLate error={error} /> : <ProblemNote error={error} typed={feedback !== ''} />}
      <SlowAnswer waiting={waiting} onStop={stop} />
      <div className="flex flex-wrap gap-2">
        {isCareful && refuse}
        {isQuestion ? (
          options.map(({ optionId, name }) => (
            <Button
              key={optionId}
              disabled={waiting}
              data-press
              onClick={() => void decide('approved', { optionId })}
            >
              {name}
            </Button>
          ))
        ) : (
          <SubmitButton
            look={isCareful ? 'plain' : 'primary'}
            waiting={waiting}
            data-decide="approved"
            data-press
          >
            {approvals.approve}
          </SubmitButton>
        )}
        {revisable && (
          <Button disabled={waiting} data-press onClick={() => void decide('revision_requested')}>
            {approvals.revise}
          </Button>
        )}
        {approval.permission && !isQuestion && !isCareful && (
          <AlwaysForm
            asked={approval.permission}
            agentId={approval.leaderId}
            waiting={waiting}
            onGive={(always) => void decide('approved', { always })}
          />
        )}
        {!isCareful && refuse}
        {foot}
      </div>
    </form>
  )
}

/** The refusal says who decided what; so do we. */
function TooLate({ error }: { error: unknown }) {
  const { approvals } = useWords()
  const nameOf = useDisplayName()
  const me = useMe()
  const problem = problemIn(error)
  const decidedBy = problem?.['decidedBy']
  const said = approvals.tooLate[problem?.['decision'] as Verdict]
  if (!said || typeof decidedBy !== 'string') return <ProblemNote error={error} />
  return (
    <p role="alert" className="rounded-md bg-warn-wash px-3 py-2.5 text-warn">
      {said(decidedBy === me?.id ? approvals.byYou : nameOf(decidedBy))}
    </p>
  )
}

/** The refusal itself says who decided; the card follows with the next event. */
const ignore = (): void => undefined
