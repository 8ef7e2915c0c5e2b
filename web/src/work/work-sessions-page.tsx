/** The tab Sessions of a project: the chart of which was resumed from which, and the work sessions, newest first, each with its state in a line. */
import { Link } from '@tanstack/react-router'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { reconnectNow } from '../live/live.ts'
import { useProjectWork } from '../live/work.ts'
import { CopyId } from '../parts/copy.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { ContinueFromFile } from './continue-from-file.tsx'
import { LineageChart } from './lineage-chart.tsx'
import { ResumeButton } from './resume-button.tsx'
import { stateDots } from './state-dots.ts'

export function WorkSessionsPage() {
  const project = useProject()
  return project ? <WorkSessions projectId={project.id} /> : null
}

function WorkSessions({ projectId }: { projectId: string }) {
  const words = useWords()
  const work = useProjectWork(projectId)
  if (!work) return <Waiting what={words.things.work} onRetry={reconnectNow} />
  const titles = new Map(work.tasks.map((task) => [task.id, task.title]))
  return (
    <Section title={words.workSessions.title} note={work.workSessions.length || undefined}>
      {work.workSessions.length === 0 ? (
        <p className="border-y border-line py-3 text-faint">{words.workSessions.none}</p>
      ) : (
        <>
          <LineageChart projectId={projectId} />
          <Rows label={words.workSessions.title}>
            {work.workSessions.map((workSession) => (
              <Row key={workSession.id} workSession={workSession} taskTitle={titles.get(workSession.currentTaskId ?? '')} />
            ))}
          </Rows>
        </>
      )}
      <ContinueFromFile />
    </Section>
  )
}

function Row({ workSession, taskTitle }: { workSession: WorkSession; taskTitle: string | undefined }) {
  const { workSessions: words, continuity } = useWords()
  const { id, projectId, state, interruptionReason: reason, currentPhase, currentAgentRole, currentTaskId } = workSession
  const { contextSummary, resumedBy, setAside, parentSessionId } = workSession
  const facts = [
    currentAgentRole,
    currentPhase !== null && words.phase(currentPhase),
    currentTaskId && words.at(taskTitle ?? currentTaskId),
    resumedBy && continuity.resumedSince,
    setAside && continuity.setAside,
  ].filter(Boolean)
  return (
    <li className="list-row flex flex-wrap items-center gap-x-2 py-2.5">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <StateDot state={stateDots[state]} />
          <Link
            to="/projects/$projectId/sessions/$workSessionId"
            params={{ projectId, workSessionId: id }}
            className="inline-flex min-h-6 items-center rounded font-medium hover:underline"
          >
            {words.states[state]}
          </Link>
          {state === 'interrupted' && reason && <span className="text-bad">{words.reason(words.reasons[reason] ?? reason)}</span>}
          <span className="min-w-0 text-quiet [overflow-wrap:anywhere]">{facts.join(' · ')}</span>
          <span className="ml-auto flex items-center gap-2 text-sm text-faint">
            <CopyId id={id} what={words.id} />
            <Ago at={workSession.endedAt ?? workSession.startedAt} className="tabular-nums" />
          </span>
        </div>
        <p className="truncate text-sm text-faint" title={contextSummary ?? undefined}>
          {contextSummary || words.nothing}
        </p>
        {parentSessionId && (
          <p className="flex items-center gap-1 text-sm text-faint">
            {words.resumedFrom} <CopyId id={parentSessionId} what={words.id} />
          </p>
        )}
      </div>
      {state === 'interrupted' && resumedBy === null && <ResumeButton workSession={workSession} projectId={projectId} />}
    </li>
  )
}
