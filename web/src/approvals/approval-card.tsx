/** One approval: the question with its buttons while it waits, and the decision afterwards. */

import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { isChoice } from '../../../src/protocol/approvals/allowance-scopes.ts'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { loadOnce } from '../lazy-route.tsx'
import { useDisplayName } from '../live/display-names.ts'
import { useHome, useMay } from '../live/queries.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { Ago } from '../parts/time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { approvalDot, DecidedLine, unansweredOf } from './decided-line.tsx'
import { DecisionForm } from './decision-form.tsx'
import { HeldDecision, Overtaken } from './held-decision.tsx'
import { QuestionApproval } from './question-form.tsx'
import { useAskingWords } from './words.ts'

/** Brings the comparing of texts along. */
const AskedPermission = lazy(
  loadOnce(async () => ({
    default: (await import('../turns/asked-permission.tsx')).AskedPermission,
  })),
)

const linkClass =
  'inline-flex min-h-6 items-center underline decoration-edge underline-offset-2 hover:text-ink'

/** `inProject`: the project need not be named, the page is about it. */
export function ApprovalCard({
  approval,
  inProject = false,
}: {
  approval: Approval
  inProject?: boolean
}) {
  const words = useWords()
  const askingWords = useAskingWords()
  const nameOf = useDisplayName()
  const project = useHome()?.projects.find(({ id }) => id === approval.projectId)
  const unanswered = unansweredOf(approval)
  const asksChoice =
    approval.question !== null ||
    (approval.permission !== null && isChoice(approval.permission.options))
  const ownKind = asksChoice
    ? words.approvals.question
    : approval.permission
      ? words.approvals.permission
      : null
  const kind = ownKind ?? approval.checkpointType
  const title = `${kind} · ${nameOf(approval.leaderId)}`
  return (
    <li data-approval={approval.id}>
      <article aria-label={title} className="flex flex-col gap-3 py-4">
        <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-quiet">
          <StateDot state={approvalDot(approval)} />
          <span
            className={
              approval.status === 'pending' && !inProject ? 'sr-only' : 'font-medium text-ink'
            }
          >
            {unanswered
              ? askingWords.outcomes[unanswered]
              : words.approvals.statuses[approval.status]}
          </span>
          <span className={`text-ink [overflow-wrap:anywhere] ${ownKind ? '' : 'font-mono'}`}>
            {kind}
          </span>
          <span>{words.approvals.asked(nameOf(approval.leaderId))}</span>
          {approval.taskId && (
            <Link
              to="/projects/$projectId/tasks"
              params={{ projectId: approval.projectId }}
              search={{ task: approval.taskId }}
              className={linkClass}
            >
              {words.approvals.about(approval.taskId)}
            </Link>
          )}
          {approval.revisionHistory.length > 0 && (
            <span>{words.approvals.round(approval.revisionHistory.length)}</span>
          )}
          {!inProject && (
            <Link
              to="/projects/$projectId/approvals"
              params={{ projectId: approval.projectId }}
              className={linkClass}
            >
              {project?.name ?? approval.projectId}
            </Link>
          )}
          <Ago at={approval.submittedAt} className="ml-auto text-faint tabular-nums" />
        </header>
        <ApprovalBody approval={approval} />
      </article>
    </li>
  )
}

interface ApprovalBodyProps {
  readonly approval: Approval
  /** For how many seconds a decision can be undone (AP15). */
  readonly hold?: number
  readonly onDecided?: () => void
  /** Beside the buttons. */
  readonly foot?: ReactNode
}

/** What is asked, and the decision or the way to make it. */
export function ApprovalBody({ approval, hold, onDecided, foot }: ApprovalBodyProps) {
  const mayDecide = useMay('approve')
  const isHeld = approval.held !== null && approval.status === 'pending'
  return (
    <>
      <Asked approval={approval} headed={hold === undefined} />
      {approval.status !== 'pending' && <Decided approval={approval} />}
      {isHeld && <HeldDecision approval={approval} />}
      {mayDecide &&
        !isHeld &&
        !approval.ofOther &&
        (approval.question ? (
          <QuestionApproval approval={approval} {...{ hold, onDecided, foot }} />
        ) : (
          <DecisionForm approval={approval} {...{ hold, onDecided, foot }} />
        ))}
    </>
  )
}

/** `headed`: nothing above it says what is wanted. */
function Asked({ approval, headed }: { approval: Approval; headed: boolean }) {
  const { approvals } = useWords()
  const { instructionContent, workerInstructions, artifacts, revisionHistory, permission } =
    approval
  const empty = !instructionContent && workerInstructions.length === 0 && artifacts.length === 0
  return (
    <div className="flex flex-col gap-2">
      {instructionContent &&
        permission === null &&
        (isMarked(approval) ? (
          <Plan>{instructionContent}</Plan>
        ) : (
          <Plain>{instructionContent}</Plain>
        ))}
      {permission && (
        <Suspense>
          <AskedPermission call={permission.call} headed={headed} />
        </Suspense>
      )}
      {empty && !permission && <p className="text-faint">{approvals.nothingSaid}</p>}
      <Things title={approvals.instructions} things={workerInstructions} />
      <Things title={approvals.artifacts} things={artifacts} />
      {revisionHistory.length > 0 && (
        <Things title={approvals.earlier(revisionHistory.length)} things={revisionHistory} quiet />
      )}
    </div>
  )
}

/** Whether to show the text as Markdown. Text without Markdown needs no renderer. */
const isMarked = ({ question, instructionContent }: Approval): boolean =>
  !question && /[*_`#|[]|^\s*(?:[-+>]|\d+\.)\s/m.test(instructionContent ?? '')

/** Plans are written in Markdown (SE6: made of our own elements). */
const Plan = ({ children }: { children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
  <div tabIndex={0} className="max-h-96 overflow-y-auto">
    <AgentText text={children} />
  </div>
)

/** Text as it was written. */
const Plain = ({ children }: { children: string }) => (
  <p
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
    tabIndex={0}
    dir="auto"
    className="max-h-72 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]"
  >
    {children}
  </p>
)

/** Agents put anything into these lists: text is shown as text, the rest as it was sent. */
function Things({
  title,
  things,
  quiet = false,
}: {
  title: string
  things: readonly unknown[]
  quiet?: boolean
}) {
  if (things.length === 0) return null
  return (
    <details open={!quiet && things.length <= 3}>
      <summary className="min-h-6 w-fit text-sm text-quiet">
        {title} {!quiet && <span className="text-faint tabular-nums">{things.length}</span>}
      </summary>
      <ul className="mt-1 flex flex-col gap-1">
        {things.map((thing, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is what was submitted and does not change
            key={index}
            className="rounded-md bg-sunken px-3 py-1.5 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {typeof thing === 'string' ? thing : JSON.stringify(thing, null, 2)}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Decided({ approval }: { approval: Approval }) {
  const { approvals } = useWords()
  return (
    <div role="status" className="flex flex-col gap-1 border-l-2 border-edge pl-3">
      <p className="flex flex-wrap gap-x-2">
        <DecidedLine approval={approval} />
        {approval.resolvedAt && <Ago at={approval.resolvedAt} className="text-faint" />}
      </p>
      <Overtaken approval={approval} />
      {approval.imported && (
        <p className="text-sm text-warn">{approvals.imported(approval.imported.decidedBy)}</p>
      )}
      {approval.feedback && (
        <p dir="auto" className="whitespace-pre-wrap text-quiet [overflow-wrap:anywhere]">
          {approval.feedback}
        </p>
      )}
    </div>
  )
}
