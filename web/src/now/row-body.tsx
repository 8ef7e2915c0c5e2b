/** What unfolds under a row of Now: what it is about, and the buttons that settle it. */
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import { ApprovalBody } from '../approvals/approval-card.tsx'
import { isHeldBack, isOpen } from '../approvals/waiting.ts'
import { Release } from '../conversations/presence/agent-problem.tsx'
import { TalkLink } from '../conversations/thread/talk-link.tsx'
import { loadOnce } from '../lazy-route.tsx'
import { client, useMay } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { KeyCap } from '../parts/key-cap.tsx'
import { describeProblem, ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { AllowHostsButton } from '../turns/allow-hosts-button.tsx'
import { refusedHosts } from '../turns/refused-hosts.ts'
import { sayNewestAgain } from '../turns/say-again.ts'
import { useRequest } from '../turns/use-request.ts'
import { DismissButton } from '../work/dismiss-button.tsx'
import { ResumeButton } from '../work/resume-button.tsx'
import { HeldStrip } from './held-strip.tsx'
import type { NowRow } from './now-rows.ts'
import { archiveTalk, settle, settleTalk } from './settling.ts'

const ContinueDialog = lazy(
  loadOnce(async () => ({
    default: (await import('../conversations/thread/continue-dialog.tsx')).ContinueDialog,
  })),
)

/** Decisions on Now are carried out after so many seconds, and can be undone until then. */
const holdSeconds = 5

interface RowBodyProps {
  readonly row: NowRow
  readonly title: string
  readonly onDecided: () => void
}

export function RowBody({ row, title, onDecided }: RowBodyProps) {
  const { approvals, talk, work, other } = row
  if (approvals.length > 0) return <AskedBody row={row} onDecided={onDecided} />
  if (work)
    return (
      <Foot row={row}>
        <ResumeButton workSession={work} projectId={work.projectId} />
        <DismissButton workSession={work} />
      </Foot>
    )
  if (other) return <AgentBody row={row} />
  return talk ? <TalkBody row={row} talk={talk} title={title} onDone={onDecided} /> : null
}

function AskedBody({ row, onDecided }: { row: NowRow; onDecided: () => void }) {
  const approval = row.approvals.find(isOpen) ?? row.approvals.at(-1)
  if (!approval) return null
  return (
    <>
      {row.approvals.some(isHeldBack) && <HeldStrip row={row} />}
      <ApprovalBody
        key={approval.id}
        approval={approval}
        hold={holdSeconds}
        onDecided={onDecided}
        foot={<OpenLink row={row} />}
      />
    </>
  )
}

function AgentBody({ row }: { row: NowRow }) {
  const mayWrite = useMay('write')
  const { other, projectId } = row
  const isHeld = other?.running.process?.state === 'held'
  return (
    <Foot row={row}>
      {isHeld && mayWrite && projectId && (
        <Release
          place={{ projectId, agentId: other.running.agentId }}
          agentName={other.running.agentId}
        />
      )}
    </Foot>
  )
}

interface TalkBodyProps {
  readonly row: NowRow
  readonly talk: ListedConversation
  readonly title: string
  readonly onDone: () => void
}

function TalkBody({ row, talk, title, onDone }: TalkBodyProps) {
  const words = useWords()
  const { now } = words
  const saidOf = useSaid()
  const mayWrite = useMay('write')
  const stopping = useRequest()
  const { key, lastMessage: last, doing } = talk
  const failed = row.state === 'failed' || row.state === 'interrupted'
  const problem = (error: unknown) => describeProblem(error, words).title
  const take = (what: 'cleared' | 'dismissed' | 'archived') => {
    const send = what === 'archived' ? archiveTalk(key) : settleTalk(key, last?.seq ?? 0)
    settle([{ id: row.id, what, send }], problem)
    onDone()
  }
  const stop = async () => {
    await stopping.send(() => client.post('/api/conversations/{key}/stop', { params: { key } }))
    refreshRecent()
  }
  const said = last ? saidOf(last.beginning, last.notice) : ''
  const isOver = failed || row.state === 'finished'
  return (
    <>
      {isOver && last && !(failed && isInRow(said)) && (
        <div className="max-h-60 overflow-y-auto text-quiet [overflow-wrap:anywhere]" dir="auto">
          {failed ? said : <AgentText text={last.beginning} />}
        </div>
      )}
      <ProblemNote error={stopping.error} />
      <Foot row={row}>
        {failed && mayWrite && <Remedies row={row} talk={talk} onDone={onDone} />}
        {isOver && (
          <>
            <Button data-press onClick={() => take(failed ? 'dismissed' : 'cleared')}>
              {failed ? now.dismiss : now.clear}
            </Button>
            <Button data-press onClick={() => take('archived')}>
              {now.archive}
            </Button>
          </>
        )}
        {!isOver && mayWrite && doing && (
          <SubmitButton
            look="plain"
            type="button"
            data-press
            waiting={stopping.waiting}
            aria-label={words.running.stop(title)}
            onClick={() => void stop()}
          >
            {now.stop}
          </SubmitButton>
        )}
      </Foot>
    </>
  )
}

/** The row above has room for it. */
const isInRow = (text: string): boolean => text.length <= 60 && !text.includes('\n')

interface RemediesProps {
  readonly row: NowRow
  readonly talk: ListedConversation
  readonly onDone: () => void
}

/** What helps a session whose prompt has failed (UI22). A role's is in its console. */
function Remedies({ row: { projectId, agentId }, talk, onDone }: RemediesProps) {
  const { act, console: words } = useWords()
  const [isChoosing, setChoosing] = useState(false)
  const retrying = useRequest()
  if (projectId === null || agentId === null || talk.role !== undefined) return null
  const place = { key: talk.key, projectId, agentId }
  const retry = async () => {
    if (await sayNewestAgain(place)) onDone()
    refreshRecent()
  }
  const notice = talk.lastMessage?.notice
  return (
    <>
      <ProblemNote error={retrying.error} />
      <AllowHostsButton notice={notice} place={place} onAllowed={retry} />
      <SubmitButton
        type="button"
        look={refusedHosts(notice).length > 0 ? 'plain' : 'primary'}
        data-press
        waiting={retrying.waiting}
        onClick={() => void retrying.send(retry)}
      >
        {act.retry}
      </SubmitButton>
      <Button data-press onClick={() => setChoosing(true)}>
        {words.continueWith}
      </Button>
      {isChoosing && (
        <Suspense>
          <ContinueDialog
            conversationKey={talk.key}
            projectId={projectId}
            agentId={agentId}
            onClose={() => {
              setChoosing(false)
              refreshRecent()
            }}
          />
        </Suspense>
      )}
    </>
  )
}

const Foot = ({ row, children }: { row: NowRow; children?: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2">
    {children}
    <OpenLink row={row} />
  </div>
)

/** To the session, else to where it is kept. */
export function OpenLink({ row }: { row: NowRow }) {
  const { now } = useWords()
  const { talk, work, approvals, other } = row
  const projectId = row.projectId ?? ''
  const agentId = row.agentId ?? ''
  const link = { className: buttonClass('quiet', 'ml-auto'), 'data-open': true }
  const inside = (
    <>
      {now.open} <KeyCap name="Enter" />
    </>
  )
  const [asked] = approvals
  const key =
    talk?.key ??
    other?.running.agentSession?.conversationKey ??
    other?.running.process?.conversationKey
  const userSessionId = asked?.permission?.userSessionId ?? asked?.question?.userSessionId
  if (key)
    return (
      <TalkLink conversationKey={key} projectId={row.projectId} {...link}>
        {inside}
      </TalkLink>
    )
  if (work)
    return (
      <Link
        to="/projects/$projectId/history/$workSessionId"
        params={{ projectId, workSessionId: work.id }}
        {...link}
      >
        {inside}
      </Link>
    )
  if (userSessionId)
    return (
      <Link
        to="/projects/$projectId/console/$userSessionId"
        params={{ projectId, userSessionId }}
        {...link}
      >
        {inside}
      </Link>
    )
  if (asked && !asked.permission && !asked.question)
    return (
      <Link to="/projects/$projectId/approvals" params={{ projectId }} {...link}>
        {inside}
      </Link>
    )
  if (other?.running.agentSession?.purpose === 'task')
    return (
      <Link to="/projects/$projectId/tasks" params={{ projectId }} {...link}>
        {inside}
      </Link>
    )
  return (
    <Link to="/projects/$projectId/chat/$agentId" params={{ projectId, agentId }} {...link}>
      {inside}
    </Link>
  )
}
