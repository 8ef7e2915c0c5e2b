/**
 * A failure as a card: what failed, who says so, what is kept, and what can be done about it. One
 * that something has followed is a row that unfolds.
 */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import { useDisplayName } from '../live/display-names.ts'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { FoldIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { AllowHostsButton } from './allow-hosts-button.tsx'
import { agentAt, usePaneActions } from './pane-actions.ts'
import { refusedHosts } from './refused-hosts.ts'
import { useRequest } from './use-request.ts'

export const failureClass =
  'flex min-w-0 flex-col gap-2 rounded-md border border-l-3 border-bad/30 border-l-bad ' +
  'bg-bad-wash px-3 py-2.5 [overflow-wrap:anywhere]'

const rowClass =
  '-mx-1.5 flex min-h-7 items-center gap-2 rounded-md px-1.5 text-quiet hover:bg-hover ' +
  'max-md:min-h-9'

type Kind = 'signedOut' | 'gone' | 'stopped' | 'tooLong' | 'doubtful' | 'error'

/** Other reasons, such as a refusal, are the agent's own end of a turn and no failure to mend. */
const kinds: Readonly<Record<string, Kind>> = {
  error: 'error',
  probably_error: 'doubtful',
  process_gone: 'gone',
  took_too_long: 'tooLong',
}

/** The notices that tell of signing in stand in others that tell of the turn. */
const saysSignIn = (notice: ThreadTurn['notice']): boolean =>
  notice !== null && /"(?:signInFirst|signInWays)"/.test(JSON.stringify(notice))

export function failureIn({ state, stopReason, notice }: ThreadTurn): Kind | undefined {
  if (state !== 'failed' && state !== 'unknown') return undefined
  if (saysSignIn(notice)) return 'signedOut'
  // CX6: with a notice, somebody ended its process.
  if (state === 'unknown') return notice === null ? 'gone' : 'stopped'
  return kinds[stopReason ?? '']
}

interface FailureCardProps {
  readonly turn: ThreadTurn
  readonly kind: Kind
  readonly files: ThreadTurn['files']
  /** The words of who reported it. */
  readonly why: string | null | undefined
  /** Nothing has followed it yet. */
  readonly isNewest: boolean
}

export function FailureCard({ turn, kind, files, why, isNewest }: FailureCardProps) {
  const { failures: words } = useWords().console
  const nameOf = useDisplayName()
  const agent = nameOf(agentAt(usePaneActions(), turn.at))
  const title = words.titles[kind](agent)
  const text = <FailureText turn={turn} files={files} why={why} fault={words.faults[kind](agent)} />
  if (!isNewest)
    return (
      <details data-failure={kind} className="min-w-0 text-sm">
        <summary className={rowClass}>
          <FoldIcon />
          <StateDot state="failed" />
          <span className="min-w-0 truncate">{title}</span>
        </summary>
        <div className="my-1 flex flex-col gap-1 pl-5.5">{text}</div>
      </details>
    )
  return (
    <div role="alert" data-failure={kind} className={failureClass}>
      <p className="flex items-baseline gap-2 font-semibold">
        <StateDot state="failed" />
        {title}
      </p>
      <div className="flex flex-col gap-1 text-sm">{text}</div>
      <Remedies turn={turn} kind={kind} />
    </div>
  )
}

/** More than this is folded. */
const shortChars = 300

interface TextProps {
  readonly turn: ThreadTurn
  readonly files: ThreadTurn['files']
  readonly why: string | null | undefined
  readonly fault: string
}

function FailureText({ turn, files, why, fault }: TextProps) {
  const { failures: words } = useWords().console
  const changed = files?.changes?.files ?? 0
  const last = turn.items.findLast((item) => item.kind === 'tool')
  const isOpen =
    last?.kind === 'tool' && (last.call.status === 'pending' || last.call.status === 'in_progress')
  const kept = [
    changed > 0 ? words.keptFiles(changed) : words.kept,
    isOpen && words.mayHaveRun,
  ].filter(Boolean)
  const isLong = (why?.length ?? 0) > shortChars
  return (
    <>
      {why && !isLong && (
        <p dir="auto" className="whitespace-pre-wrap">
          {why}
        </p>
      )}
      <p className="text-quiet">{[fault, ...kept].filter(Boolean).join(' ')}</p>
      {why && isLong && (
        <details>
          <summary className="min-h-6 w-fit text-quiet hover:text-ink">{words.output}</summary>
          <pre className="max-h-72 overflow-auto font-mono text-xs whitespace-pre-wrap">{why}</pre>
        </details>
      )}
    </>
  )
}

function Remedies({ turn, kind }: { turn: ThreadTurn; kind: Kind }) {
  const { act, console: words } = useWords()
  const { agentId, projectId, mayWrite, retry, continueWith } = usePaneActions()
  const asking = useRequest()
  const isSecond = kind === 'signedOut' || refusedHosts(turn.notice).length > 0
  if (!mayWrite) return null
  return (
    <>
      <ProblemNote error={asking.error} />
      <Buttons>
        <AllowHostsButton
          notice={turn.notice}
          place={{ projectId, agentId }}
          onAllowed={() => retry(turn)}
        />
        {kind === 'signedOut' && (
          <Link to="/agents/$agentId" params={{ agentId }} className={buttonClass('primary')}>
            {words.failures.signIn}
          </Link>
        )}
        <SubmitButton
          type="button"
          look={isSecond ? 'plain' : 'primary'}
          waiting={asking.waiting}
          onClick={() => void asking.send(() => retry(turn))}
        >
          {act.retry}
        </SubmitButton>
        {continueWith && <Button onClick={continueWith}>{words.continueWith}</Button>}
      </Buttons>
    </>
  )
}

export const Buttons = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap gap-2">{children}</div>
)
