/**
 * A permission that an agent asks for (AP4): what it would do, and the answers it offers. Answered
 * here or in the inbox, it changes in both.
 */

import { Fragment } from 'react'
import type { AlwaysTerms } from '../../../src/protocol/approvals/allowance.ts'
import { isChoice, isKeptByAgent } from '../../../src/protocol/approvals/allowance-scopes.ts'
import { cautionOf } from '../../../src/protocol/approvals/wanted.ts'
import type { TurnPermission } from '../../../src/protocol/threads/turn-items.ts'
import { AlwaysForm } from '../approvals/always-form.tsx'
import { useAskingWords } from '../approvals/words.ts'
import { useMay } from '../live/queries.ts'
import { type Look, SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { answerName } from '../translations/sandbox-requests.ts'
import { AskedCall, useAskedHead } from './asked-call.tsx'
import { DecidedRow, waitingClass } from './decided-row.tsx'
import { usePaneActions } from './pane-actions.ts'
import { useRequest } from './use-request.ts'

const decisions = {
  allow_once: 'approved',
  reject_once: 'rejected',
  allow_always: undefined,
  reject_always: undefined,
  other: undefined,
} as const

interface PermissionCardProps {
  readonly permission: TurnPermission
  /** The title of the sub-agent that asks. */
  readonly subAgent?: string | undefined
}

export function PermissionCard({ permission, subAgent }: PermissionCardProps) {
  const all = useWords()
  const { approvals, console: words } = all
  const writing = useWriting()
  const mayDecide = useMay('approve')
  const asking = useRequest()
  const headOf = useAskedHead()
  const askingWords = useAskingWords()
  const { approvalId, call, options, deadline, outcome } = permission
  const isQuestion = isChoice(options)
  const head = headOf({ ...call, title: permission.title })
  const { agentId, answer: send, decline } = usePaneActions()
  const answer = (option: TurnPermission['options'][number], always?: AlwaysTerms) =>
    void asking.send(() => send(approvalId, option, always, isQuestion))
  // "Always" is ours, with an end and revocable (AG6); the agent's own is there where it would be
  // told to the agent.
  const offered = options.filter(
    ({ kind }) => isQuestion || kind !== 'allow_always' || isKeptByAgent(call.toolKind, options),
  )
  const yes = isQuestion ? undefined : options.find(({ kind }) => kind === 'allow_once')
  const isCareful = !isQuestion && cautionOf(call) !== undefined
  const inOrder = isCareful ? offered.toSorted(refusalsFirst) : offered
  const ours = { allow_once: approvals.approve, reject_once: approvals.reject } as const
  // The names of what the server asks for a sandbox say for how long it holds.
  const keepsNames = isQuestion || head.what === 'host' || head.what === 'folder'
  const nameOf = ({ kind, name }: (typeof options)[number]): string =>
    !keepsNames && (kind === 'allow_once' || kind === 'reject_once')
      ? ours[kind]
      : answerName(name, all)
  if (outcome !== null) return <Answered permission={permission} outcome={outcome} />
  return (
    <section
      aria-label={head.text}
      data-permission={approvalId}
      data-outcome="open"
      tabIndex={-1}
      className={waitingClass}
    >
      <p className="flex items-baseline gap-2">
        <StateDot state="waiting" />
        <span className="min-w-0 font-semibold [overflow-wrap:anywhere]" dir="auto">
          {head.shown}
        </span>
        {subAgent !== undefined && (
          <span className="ml-auto truncate text-xs text-quiet">{askingWords.by(subAgent)}</span>
        )}
      </p>
      <AskedCall call={call} />
      <ProblemNote error={asking.error} />
      {mayDecide && (
        <div className="flex flex-wrap gap-2">
          {inOrder.map((option, index) => (
            <Fragment key={option.optionId}>
              <SubmitButton
                type="button"
                look={isQuestion ? 'plain' : lookOf(option.kind, index === 0)}
                waiting={asking.waiting}
                data-decide={isQuestion ? undefined : decisions[option.kind]}
                onClick={() => answer(option)}
              >
                {nameOf(option)}
              </SubmitButton>
              {option === yes && !isCareful && (
                <AlwaysForm
                  asked={permission}
                  agentId={agentId}
                  waiting={asking.waiting}
                  onGive={(terms) => answer(option, terms)}
                />
              )}
            </Fragment>
          ))}
          {isQuestion && (
            <SubmitButton
              type="button"
              look="danger"
              waiting={asking.waiting}
              onClick={() => void asking.send(() => decline(approvalId))}
            >
              {approvals.decline}
            </SubmitButton>
          )}
        </div>
      )}
      <p className="text-xs text-quiet">{words.until(writing.moment(deadline, Date.now()))}</p>
    </section>
  )
}

type Kind = TurnPermission['options'][number]['kind']

const isRefusal = (kind: Kind): boolean => kind === 'reject_once' || kind === 'reject_always'

const refusalsFirst = (one: { kind: Kind }, other: { kind: Kind }): number =>
  Number(isRefusal(other.kind)) - Number(isRefusal(one.kind))

/** The first button is the one that we advise. */
function lookOf(kind: Kind, isFirst: boolean): Look {
  if (isFirst && (kind === 'allow_once' || kind === 'reject_once')) return 'primary'
  return isRefusal(kind) ? 'danger' : 'plain'
}

interface AnsweredProps {
  readonly permission: TurnPermission
  readonly outcome: NonNullable<TurnPermission['outcome']>
}

/** Answered, it is a row for good: what, who and when; what was asked for unfolds. */
function Answered({ permission, outcome }: AnsweredProps) {
  const all = useWords()
  const { answers } = all.console
  const asking = useAskingWords()
  const headOf = useAskedHead()
  const { approvalId, call, optionId, options } = permission
  const isQuestion = isChoice(options)
  const head = headOf({ ...call, title: permission.title }, 'lines')
  const chosen = options.find((option) => option.optionId === optionId)
  // The plain answers say no more than the verb does.
  const isPlain = chosen?.kind === 'allow_once' || chosen?.kind === 'reject_once'
  return (
    <DecidedRow
      label={head.text}
      data={{ 'data-permission': approvalId, 'data-outcome': outcome }}
      outcome={outcome}
      verb={(isQuestion ? answers : asking.outcomes)[outcome]}
      said={chosen && (isQuestion || !isPlain) ? answerName(chosen.name, all) : undefined}
      decidedBy={permission.decidedBy}
      at={permission.resolvedAt}
      what={head.shown}
    >
      <AskedCall call={call} />
    </DecidedRow>
  )
}
