/**
 * The band of Now for work that was interrupted, newest first, each with its Resume (UI1). One
 * quiet line while there is none.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { interrupted } from '../live/continuity.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { refetch } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { DismissButton } from '../work/dismiss-button.tsx'
import { reasonText } from '../work/reason-text.ts'
import { ResumeButton } from '../work/resume-button.tsx'

/** Shows few at first: the running agents and projects below are looked for more often. */
const shownFirst = 5

export function Interrupted() {
  const { continuity } = useWords()
  const { data, error } = useQuery(interrupted)
  const [all, setAll] = useState(false)
  const section = useRef<HTMLElement>(null)
  const focusedHere = useRef(false)
  // A row goes with the button that was pressed; who works by keyboard stays where it stood, and
  // presses nothing by accident.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the rows that are there now
  useEffect(() => {
    if (focusedHere.current && document.activeElement === document.body) section.current?.focus()
  }, [data?.length])
  const more = all ? 0 : Math.max(0, (data?.length ?? 0) - shownFirst)
  return (
    <section
      ref={section}
      tabIndex={-1}
      onFocus={() => {
        focusedHere.current = true
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget) focusedHere.current = currentTarget.contains(relatedTarget)
      }}
      aria-label={continuity.interrupted}
      className="flex min-w-0 flex-col items-start"
    >
      <div className="flex min-h-9 w-full items-center gap-x-2 border-b border-line">
        <h2 className="font-semibold">{continuity.interrupted}</h2>
        {data && data.length > 0 && (
          <span className="text-sm text-faint tabular-nums">{data.length}</span>
        )}
        {data?.length === 0 && <p className="text-sm text-faint">{continuity.interruptedNone}</p>}
      </div>
      {error && !data && <ProblemNote error={error} onRetry={() => void refetch(interrupted)} />}
      {data && data.length > 0 && (
        <ul aria-label={continuity.interrupted} className="w-full divide-y divide-line">
          {data.slice(0, all ? undefined : shownFirst).map((workSession) => (
            <InterruptedRow key={workSession.id} workSession={workSession} />
          ))}
        </ul>
      )}
      {more > 0 && (
        <Button look="quiet" className="-mx-2" onClick={() => setAll(true)}>
          {continuity.interruptedMore(more)}
        </Button>
      )}
    </section>
  )
}

function InterruptedRow({ workSession }: { workSession: WorkSession }) {
  const { continuity, workSessions: words } = useWords()
  const {
    id,
    projectId,
    interruptionReason: reason,
    contextSummary,
    setAside,
    currentPhase,
    currentAgentRole,
  } = workSession
  const { project } = useAgentAndProject({ projectId, agentId: '' })
  const why = reason ? reasonText(words, reason) : ''
  const summary = [
    currentAgentRole,
    currentPhase !== null && words.phase(currentPhase),
    contextSummary,
  ]
    .filter(Boolean)
    .join(' · ')
  return (
    <li className="list-row flex flex-wrap items-center gap-x-2" data-interrupted={id}>
      <Link
        to="/projects/$projectId/history/$workSessionId"
        params={{ projectId, workSessionId: id }}
        data-row
        className="-mx-2 grid min-h-10 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 rounded-md px-2 py-1.5 -outline-offset-2 transition-colors hover:bg-hover sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_7rem]"
      >
        <span className="flex min-w-0 items-center gap-2 max-sm:col-span-2">
          <StateDot state="interrupted" />
          <span className="min-w-0 truncate">
            <span className="font-medium">{project}</span>
            <span className="text-quiet"> · {setAside ? continuity.setAside : why}</span>
          </span>
        </span>
        <span className="truncate text-sm text-quiet max-sm:row-start-2">{summary}</span>
        <Ago
          at={workSession.endedAt ?? workSession.startedAt}
          className="justify-self-end text-sm text-faint tabular-nums"
        />
      </Link>
      <div className="flex min-w-24 items-center justify-end gap-1">
        <DismissButton workSession={workSession} />
        <ResumeButton workSession={workSession} projectId={projectId} />
      </div>
    </li>
  )
}
