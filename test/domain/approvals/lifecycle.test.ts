import { describe, expect, test } from 'vitest'
import {
  type Approval,
  type ApprovalEvent,
  type DecidedApproval,
  decideApproval,
  type PendingApproval,
  type Verdict,
} from '../../../src/domain/approvals/lifecycle.ts'
import { fc, property } from '../../support/property.ts'

const then = '2026-03-01T09:00:00.000Z'
const decidedAt = '2026-03-01T09:30:00.000Z'
const now = '2026-03-01T10:00:00.000Z'

const submission = {
  instructionContent: 'ship it',
  workerInstructions: [{ do: 'x' }],
  artifacts: ['a.md'],
}
const pending: PendingApproval = {
  ...submission,
  id: 7,
  status: 'pending',
  submittedAt: then,
  resolvedAt: null,
  decidedBy: null,
  feedback: null,
  revisionHistory: [],
  held: null,
}
const decided = (status: Verdict): DecidedApproval => ({
  ...pending,
  status,
  resolvedAt: decidedAt,
  decidedBy: 'ada',
  feedback: 'smaller',
})
const verdicts: Verdict[] = ['approved', 'rejected', 'revision_requested']
const by = (who: string, verdict: Verdict): ApprovalEvent => ({
  type: 'decide',
  verdict,
  by: who,
  feedback: null,
})

describe('a held decision', () => {
  const until = '2026-03-01T10:00:05.000Z'
  const held: PendingApproval = { ...pending, held: { by: 'ada', until, status: 'approved' } }
  const hold = { type: 'hold', verdict: 'approved', by: 'ada', seconds: 5 } as const
  const decidedByAda = {
    outcome: 'refused',
    refusal: { code: 'approval_decided', decidedBy: 'ada', decision: 'approved' },
  }

  test('[AP15] it leaves the approval pending, and says who decided what until when', () => {
    expect(decideApproval(now, pending, hold)).toEqual({ outcome: 'changed', approval: held })
  })

  test('[AP15] nobody decides, holds or takes back beside it but who holds it', () => {
    expect(decideApproval(now, held, by('bob', 'rejected'))).toEqual(decidedByAda)
    expect(decideApproval(now, held, by('ada', 'rejected'))).toEqual(decidedByAda)
    expect(decideApproval(now, held, { ...hold, by: 'bob' })).toEqual(decidedByAda)
    expect(decideApproval(now, held, { type: 'take-back', by: 'bob' })).toEqual(decidedByAda)
    expect(decideApproval(now, held, { type: 'take-back', by: 'ada' })).toEqual({
      outcome: 'changed',
      approval: pending,
    })
    expect(decideApproval(now, pending, { type: 'take-back', by: 'ada' })).toEqual({
      outcome: 'refused',
      refusal: { code: 'nothing_held' },
    })
  })

  test('[AP15] carried out it is a decision like any other; one that ends before keeps it', () => {
    const given = { verdict: 'approved', by: 'ada', feedback: null } as const
    const carriedOut = decideApproval(until, held, { type: 'carry-out', ...given })
    expect(carriedOut).toEqual(decideApproval(until, pending, { type: 'decide', ...given }))
    const end = { type: 'end', verdict: 'rejected', by: 'system', feedback: null } as const
    expect(decideApproval(now, held, end)).toMatchObject({
      approval: { status: 'rejected', decidedBy: 'system', held: held.held },
    })
  })
})

describe('the life of an approval', () => {
  test.each(verdicts)('[AP1] a pending one can be %s, with who, when and why', (verdict) => {
    expect(
      decideApproval(now, pending, { type: 'decide', verdict, by: 'bob', feedback: 'fine' }),
    ).toEqual({
      outcome: 'changed',
      approval: {
        ...pending,
        status: verdict,
        resolvedAt: now,
        decidedBy: 'bob',
        feedback: 'fine',
      },
    })
  })

  test.each(verdicts.flatMap((first) => verdicts.map((second) => [first, second] as const)))(
    '[AP1] once it is %s, %s is refused, and the loser is told who decided what',
    (first, second) => {
      expect(decideApproval(now, decided(first), by('bob', second))).toEqual({
        outcome: 'refused',
        refusal: { code: 'approval_decided', decidedBy: 'ada', decision: first },
      })
    },
  )

  test('[AP1] a resubmission makes it pending again and keeps all that was said before', () => {
    const event: ApprovalEvent = {
      type: 'resubmit',
      submission: { instructionContent: 'ship less', artifacts: undefined },
    }
    expect(decideApproval(now, decided('revision_requested'), event)).toEqual({
      outcome: 'changed',
      approval: {
        ...pending,
        instructionContent: 'ship less',
        submittedAt: now,
        revisionHistory: [
          {
            ...submission,
            submittedAt: then,
            resolvedAt: decidedAt,
            decidedBy: 'ada',
            feedback: 'smaller',
          },
        ],
      },
    })
  })

  test('[AP1] only what was sent back is resubmitted', () => {
    const event: ApprovalEvent = { type: 'resubmit', submission: {} }
    expect(decideApproval(now, pending, event)).toEqual({
      outcome: 'refused',
      refusal: { code: 'wrong_state', status: 'pending' },
    })
    for (const final of ['approved', 'rejected'] as const)
      expect(decideApproval(now, decided(final), event)).toMatchObject({
        refusal: { code: 'approval_decided', decision: final },
      })
  })

  const events: fc.Arbitrary<ApprovalEvent> = fc.oneof(
    fc.record({
      type: fc.constant('decide' as const),
      verdict: fc.constantFrom(...verdicts),
      by: fc.constantFrom('ada', 'bob'),
      feedback: fc.option(fc.string()),
    }),
    fc.record({
      type: fc.constant('resubmit' as const),
      submission: fc.record({ instructionContent: fc.string() }, { requiredKeys: [] }),
    }),
  )

  property.prop([fc.array(events, { maxLength: 30, size: 'max' })])(
    '[AP1] whatever happens nothing is overwritten: the history only grows, one for each resubmission, and a final one stays',
    (happenings) => {
      let current: Approval = pending
      for (const event of happenings) {
        const decision = decideApproval(now, current, event)
        const final = current.status === 'approved' || current.status === 'rejected'
        if (decision.outcome === 'refused') continue
        expect(final).toBe(false)
        const { approval } = decision
        const grown = event.type === 'resubmit' ? 1 : 0
        expect(approval.revisionHistory).toHaveLength(current.revisionHistory.length + grown)
        expect(approval.revisionHistory.slice(0, current.revisionHistory.length)).toEqual(
          current.revisionHistory,
        )
        if (grown)
          expect(approval.revisionHistory.at(-1)?.instructionContent).toBe(
            current.instructionContent,
          )
        current = approval
      }
    },
  )
})
