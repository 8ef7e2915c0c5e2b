/**
 * The band of Now for approvals of all projects that wait for a decision, oldest first (AP5): one
 * row each, unfolding in place. With the keyboard `j` and `k` move, `a` approves and `r` rejects
 * what is unfolded; what is folded is unfolded first, so that nothing is decided unseen.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { isChoice } from '../../../src/protocol/approvals/allowance-scopes.ts'
import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { approvalDot, DecidedLine } from '../approvals/decided-line.tsx'
import { TalkLink } from '../conversations/talk-link.tsx'
import { useNameOf } from '../conversations/titles.ts'
import { loadOnce } from '../lazy-route.tsx'
import { forgetDecided, inbox, useWaitingCount } from '../live/approvals.ts'
import { useDisplayName } from '../live/display-names.ts'
import { refetch, useHome } from '../live/queries.ts'
import { atWork } from '../live/recent.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { oneLine } from '../shell/listed-views.ts'
import { isTyping } from '../shell/page-keys.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { askedTitle } from '../translations/sandbox-requests.ts'

/** On most visits nothing waits. */
const ApprovalBody = lazy(
  loadOnce(async () => ({
    default: (await import('../approvals/approval-card.tsx')).ApprovalBody,
  })),
)

export function WaitingForYou() {
  const { now, approvals } = useWords()
  const { data, error } = useQuery(inbox)
  const count = useWaitingCount()
  // Approvals decided while the page is open stay with their decision; a later visit shows only
  // waiting ones.
  useEffect(() => forgetDecided, [])
  const shown = data?.items ?? []
  const oldest = shown.find(({ status }) => status === 'pending')?.id
  const [chosen, setChosen] = useState<number | 'none'>()
  const open = chosen ?? oldest
  const list = useRef<HTMLUListElement>(null)
  useDecisionKeys(list, open, setChosen)
  return (
    <section aria-label={now.waiting} className="flex min-w-0 flex-col">
      <div className="flex min-h-9 items-center gap-x-2 border-b border-line">
        <h2 className="font-semibold">{now.waiting}</h2>
        {data && (
          <p className="text-sm text-faint tabular-nums" role="status">
            {count ? (
              <>
                <span aria-hidden="true">{count}</span>
                <span className="sr-only">{approvals.waiting(count)}</span>
              </>
            ) : (
              now.waitingNone
            )}
          </p>
        )}
        {count && <p className="ml-auto text-xs text-faint max-md:hidden">{now.keys}</p>}
      </div>
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch(inbox)} />}
      {shown.length > 0 && (
        <ul ref={list} aria-label={now.waiting} className="divide-y divide-line">
          {shown.map((approval) => (
            <WaitingRow
              key={approval.id}
              approval={approval}
              open={approval.id === open}
              onToggle={(isOpen) => setChosen(isOpen ? approval.id : 'none')}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

interface WaitingRowProps {
  readonly approval: Approval
  readonly open: boolean
  readonly onToggle: (open: boolean) => void
}

function WaitingRow({ approval, open, onToggle }: WaitingRowProps) {
  const words = useWords()
  const nameOf = useDisplayName()
  const project = useHome()?.projects.find(({ id }) => id === approval.projectId)
  const { permission } = approval
  const asksChoice =
    approval.question !== null || (permission !== null && isChoice(permission.options))
  const kind = asksChoice
    ? words.approvals.question
    : permission
      ? words.approvals.permission
      : readableKind(approval.checkpointType)
  const said =
    (permission && askedTitle(permission.call.title, words)) ??
    firstLine(approval.instructionContent) ??
    kind
  const title = `${kind} · ${nameOf(approval.leaderId)}`
  return (
    <li data-approval={approval.id}>
      <article
        aria-label={title}
        className={`-mx-2 flex flex-col border-l-2 px-2 ${open ? 'border-l-accent bg-rail' : 'border-l-transparent'}`}
      >
        <div className={rowClass}>
          <StateDot state={approvalDot(approval)} />
          <span className="text-quiet max-md:hidden">{kind}</span>
          <button
            type="button"
            data-row
            aria-expanded={open}
            onClick={() => onToggle(!open)}
            className="min-h-8 min-w-0 truncate text-left text-base after:absolute after:inset-0"
          >
            <span className="sr-only">{words.approvals.statuses[approval.status]}</span>{' '}
            {open && !permission ? words.approvals.asked(nameOf(approval.leaderId)) : said}
          </button>
          <Ago
            at={approval.submittedAt}
            className="text-faint tabular-nums md:order-last md:text-right"
          />
          <span className="flex min-w-0 items-center gap-x-2.5 text-quiet max-md:col-span-2 max-md:col-start-2 max-md:text-xs">
            {approval.status !== 'pending' && !open && <DecidedLine approval={approval} />}
            <span className="shrink-0 md:hidden">{kind}</span>
            <span className="max-w-2/5 shrink-0 truncate">
              {project?.name ?? approval.projectId}
            </span>
            <Place approval={approval} name={project?.name ?? approval.projectId} />
            <span className="max-w-2/5 shrink-0 truncate">
              {permission?.role ?? nameOf(approval.leaderId)}
            </span>
          </span>
        </div>
        {open && (
          <div className="flex flex-col gap-3 pt-1 pb-4 md:pl-[8.5rem]">
            <Suspense>
              <ApprovalBody approval={approval} />
            </Suspense>
          </div>
        )}
      </article>
    </li>
  )
}

/** On a phone the project, the session and the agent stand under the title. */
const rowClass =
  'relative grid min-h-10 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-1 text-sm max-md:min-h-11 ' +
  'md:grid-cols-[auto_6.25rem_minmax(0,5fr)_minmax(0,4fr)_6.5rem] hover:bg-hover'

/** What an agent calls its kind, such as plan_review, as words. */
const readableKind = (kind: string): string => {
  const words = kind.replaceAll(/[_-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * The session it belongs to, else the approvals of its project. Lies above the row's own button.
 */
function Place({ approval, name }: { approval: Approval; name: string }) {
  const { approvals: words } = useWords()
  const nameOf = useNameOf()
  const { projectId, permission, question, leaderId } = approval
  const { data: listed = [] } = useQuery({ ...atWork, enabled: false })
  const asking = listed.find(
    ({ doing }) => doing !== undefined && doing?.turnId === (permission ?? question)?.messageId,
  )
  const className =
    'relative z-10 min-h-6 min-w-0 truncate leading-6 text-quiet underline decoration-edge underline-offset-2 hover:text-ink'
  if (asking) {
    return (
      <TalkLink conversationKey={asking.key} projectId={projectId} className={className}>
        {nameOf(asking)}
      </TalkLink>
    )
  }
  if (permission?.userSessionId) {
    const params = { projectId, userSessionId: permission.userSessionId }
    return (
      <Link to="/projects/$projectId/console/$userSessionId" params={params} className={className}>
        {name}
      </Link>
    )
  }
  if (permission) {
    return (
      <Link
        to="/projects/$projectId/chat/$agentId"
        params={{ projectId, agentId: leaderId }}
        className={className}
      >
        {name}
      </Link>
    )
  }
  return (
    <Link to="/projects/$projectId/approvals" params={{ projectId }} className={className}>
      {words.tab}
    </Link>
  )
}

const firstLine = (text: string | null): string | undefined => (text && oneLine(text)) || undefined

function useDecisionKeys(
  list: RefObject<HTMLUListElement | null>,
  open: number | 'none' | undefined,
  onOpen: (id: number) => void,
): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('[role="dialog"], [role="alertdialog"]')
      )
        return
      const key = event.key.toLowerCase()
      if (!'jkar'.includes(key) || key.length !== 1) return
      const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
      const at = rows.findIndex(
        (row) =>
          row === document.activeElement || row.closest('li')?.contains(document.activeElement),
      )
      if (key === 'j' || key === 'k') {
        event.preventDefault()
        rows[key === 'j' ? Math.min(rows.length - 1, at + 1) : Math.max(0, at - 1)]?.focus()
        return
      }
      // What is in focus, else the oldest.
      const card =
        rows[at]?.closest<HTMLElement>('[data-approval]') ??
        list.current?.querySelector<HTMLElement>('[data-approval]:has(form)')
      const id = Number(card?.dataset['approval'])
      if (!card || Number.isNaN(id)) return
      event.preventDefault()
      if (id !== open) return onOpen(id)
      card
        .querySelector<HTMLButtonElement>(
          key === 'a' ? '[data-decide="approved"]' : '[data-decide="rejected"]',
        )
        ?.click()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [list, open, onOpen])
}
