/**
 * A permission that an agent asks for (AP4): what it would do, and the answers it offers. Answered
 * here or in the inbox, it changes in both.
 */
import type { AlwaysTerms } from '../../../src/protocol/approvals/allowance.ts'
import { isChoice, isKeptByAgent } from '../../../src/protocol/approvals/allowance-scopes.ts'
import type { TurnPermission } from '../../../src/protocol/threads/turn-items.ts'
import { AlwaysForm } from '../approvals/always-form.tsx'
import { useDecider } from '../live/display-names.ts'
import { useMay } from '../live/queries.ts'
import { type Look, SubmitButton } from '../parts/button.tsx'
import { FoldIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { answerName, askedTitle } from '../translations/sandbox-requests.ts'
import { usePaneActions } from './pane-actions.ts'
import { ToolContent } from './tool-row.tsx'
import { useRequest } from './use-request.ts'

const decisions = {
  allow_once: 'approved',
  reject_once: 'rejected',
  allow_always: undefined,
  reject_always: undefined,
  other: undefined,
} as const

export function PermissionCard({ permission }: { permission: TurnPermission }) {
  const all = useWords()
  const { console: words } = all
  const writing = useWriting()
  const mayDecide = useMay('approve')
  const asking = useRequest()
  const { approvalId, title: asked, call, options, deadline, outcome } = permission
  const isQuestion = isChoice(options)
  const title = askedTitle(asked, all)
  const heading = isQuestion ? title : words.asks(title)
  const { agentId, answer: send, decline } = usePaneActions()
  const answer = (option: TurnPermission['options'][number], always?: AlwaysTerms) =>
    void asking.send(() => send(approvalId, option, always, isQuestion))
  // "Always" is ours, with an end and revocable (AG6); the agent's own is there where it would be
  // told to the agent.
  const offered = options.filter(
    ({ kind }) => isQuestion || kind !== 'allow_always' || isKeptByAgent(call.toolKind, options),
  )
  const yes = isQuestion ? undefined : options.find(({ kind }) => kind === 'allow_once')
  const looks: Record<(typeof options)[number]['kind'], Look> = {
    allow_once: 'primary',
    allow_always: 'plain',
    reject_once: 'danger',
    reject_always: 'danger',
    other: 'plain',
  }
  if (outcome !== null) return <Answered permission={permission} outcome={outcome} />
  return (
    <section
      aria-label={heading}
      data-permission={approvalId}
      data-outcome="open"
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-2 rounded-md border border-l-3 border-warn/40 border-l-warn bg-warn-wash px-3 py-2.5"
    >
      <p className="flex items-baseline gap-2">
        <StateDot state="waiting" />
        <span className="min-w-0 font-semibold [overflow-wrap:anywhere]">{heading}</span>
      </p>
      <ToolContent call={call} asked={asked} />
      <ProblemNote error={asking.error} />
      {mayDecide && (
        <div className="flex flex-wrap gap-2">
          {offered.map((option) => (
            <SubmitButton
              key={option.optionId}
              type="button"
              look={isQuestion ? 'plain' : looks[option.kind]}
              waiting={asking.waiting}
              data-decide={isQuestion ? undefined : decisions[option.kind]}
              onClick={() => answer(option)}
            >
              {answerName(option.name, all)}
            </SubmitButton>
          ))}
          {isQuestion && (
            <SubmitButton
              type="button"
              look="danger"
              waiting={asking.waiting}
              onClick={() => void asking.send(() => decline(approvalId))}
            >
              {all.approvals.decline}
            </SubmitButton>
          )}
          {yes !== undefined && (
            <AlwaysForm
              asked={permission}
              agentId={agentId}
              waiting={asking.waiting}
              onGive={(terms) => answer(yes, terms)}
            />
          )}
        </div>
      )}
      <p className="text-xs text-quiet">{words.until(writing.moment(deadline, Date.now()))}</p>
    </section>
  )
}

interface AnsweredProps {
  readonly permission: TurnPermission
  readonly outcome: NonNullable<TurnPermission['outcome']>
}

/** Answered, it shrinks to a line; what was asked for unfolds. */
function Answered({ permission, outcome }: AnsweredProps) {
  const all = useWords()
  const { console: words } = all
  const deciderOf = useDecider()
  const { approvalId, call, decidedBy, optionId, options } = permission
  const title = askedTitle(permission.title, all)
  const isQuestion = isChoice(options)
  const heading = isQuestion ? title : words.asks(title)
  const outcomes = isQuestion ? words.answers : words.outcomes
  const chosen = options.find((option) => option.optionId === optionId)?.name
  const facts = [
    outcomes[outcome],
    chosen && answerName(chosen, all),
    decidedBy && decidedBy !== 'system' && deciderOf(decidedBy),
  ].filter(Boolean)
  return (
    <section
      aria-label={heading}
      data-permission={approvalId}
      data-outcome={outcome}
      className="min-w-0"
    >
      <details className="group min-w-0">
        <summary className="-mx-1.5 flex min-h-7 flex-wrap items-center gap-x-2 rounded-md px-1.5 text-sm text-quiet hover:bg-hover max-md:min-h-9">
          <FoldIcon />
          <StateDot state={outcome === 'allowed' ? 'ready' : 'failed'} />
          <span className="min-w-0 [overflow-wrap:anywhere]">{heading}</span>
          <span role="status" className="text-xs">
            {facts.join(' · ')}
          </span>
        </summary>
        <div className="my-1 min-w-0 pl-5.5">
          <ToolContent call={call} />
        </div>
      </details>
    </section>
  )
}
