/**
 * The history of a project's work: a chart of which run was resumed from which, and the lines of
 * work, newest first, each with its runs.
 */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { reconnectNow } from '../live/live.ts'
import { useProjectWork } from '../live/work.ts'
import { Button } from '../parts/button.tsx'
import { BackIcon } from '../parts/icons.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { ContinueFromFile } from './continue-from-file.tsx'
import { LineageChart } from './lineage-chart.tsx'
import { reasonText } from './reason-text.ts'
import { ResumeButton } from './resume-button.tsx'
import { stateDots } from './state-dots.ts'
import { linesOf, type WorkLine } from './work-lines.ts'

const pageSize = 30

export function WorkSessionsPage() {
  const project = useProject()
  return project ? <WorkSessions projectId={project.id} /> : null
}

function WorkSessions({ projectId }: { projectId: string }) {
  const words = useWords()
  const work = useProjectWork(projectId)
  const [most, setMost] = useState(pageSize)
  if (!work) return <Waiting what={words.things.work} onRetry={reconnectNow} />
  const lines = linesOf(work.workSessions)
  const titles = new Map(work.tasks.map((task) => [task.id, task.title]))
  return (
    <Section title={words.workSessions.title} note={lines.length || undefined}>
      {work.workSessions.length === 0 ? (
        <p className="border-y border-line py-3 text-faint">{words.workSessions.none}</p>
      ) : (
        <>
          <LineageChart projectId={projectId} />
          <Rows label={words.workSessions.title}>
            {lines.slice(0, most).map((line) => (
              <Line
                key={(line.earlier.at(-1) ?? line.newest).id}
                line={line}
                taskTitle={titles.get(line.newest.currentTaskId ?? '')}
              />
            ))}
          </Rows>
          {lines.length > most && (
            <Button look="quiet" onClick={() => setMost(most + pageSize)}>
              {words.workSessions.more(lines.length - most)}
            </Button>
          )}
        </>
      )}
      <ContinueFromFile />
    </Section>
  )
}

function Line({
  line: { newest, earlier },
  taskTitle,
}: {
  line: WorkLine
  taskTitle: string | undefined
}) {
  const { workSessions: words, continuity } = useWords()
  const {
    projectId,
    state,
    currentPhase,
    currentAgentRole,
    currentTaskId,
    contextSummary,
    resumedBy,
    setAside,
  } = newest
  // Work that nobody summed up is called by its task, or by who does it.
  const title = contextSummary || taskTitle || currentAgentRole || words.nothing
  const facts = [
    currentAgentRole !== title && currentAgentRole,
    currentPhase !== null && words.phase(currentPhase),
    currentTaskId && words.at(taskTitle ?? currentTaskId),
    earlier.length > 0 && words.resumedTimes(earlier.length),
    resumedBy && continuity.resumedSince,
    setAside && continuity.setAside,
  ].filter(Boolean)
  return (
    <li className="list-row flex flex-wrap items-start gap-x-4 gap-y-1 py-3">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-0.5">
        <p
          dir="auto"
          className="line-clamp-2 font-medium [overflow-wrap:anywhere]"
          title={contextSummary ?? undefined}
        >
          {title}
        </p>
        <Run run={newest} />
        {facts.length > 0 && (
          <p className="text-sm text-quiet [overflow-wrap:anywhere]">{facts.join(' · ')}</p>
        )}
        {earlier.length > 0 && (
          <details className="group pt-1">
            <summary className="flex min-h-6 cursor-pointer items-center gap-1.5 rounded text-sm text-quiet hover:text-ink max-md:min-h-9">
              <BackIcon className="size-3 rotate-180 group-open:-rotate-90" />
              {words.earlierRuns(earlier.length)}
            </summary>
            <ol className="ml-1.5 flex flex-col gap-1 border-l border-line py-1 pl-4">
              {earlier.map((run) => (
                <li key={run.id}>
                  <Run run={run} />
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
      <ResumeButton
        workSession={newest}
        projectId={projectId}
        offered={state === 'interrupted' && resumedBy === null}
      />
    </li>
  )
}

/** One run: how it stands or ended, why, and when; it links to its page. */
function Run({
  run: { id, projectId, state, interruptionReason: reason, startedAt, endedAt },
}: {
  run: WorkSession
}) {
  const { workSessions: words } = useWords()
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm">
      <StateDot state={stateDots[state]} />
      <Link
        to="/projects/$projectId/history/$workSessionId"
        params={{ projectId, workSessionId: id }}
        title={id}
        className="inline-flex min-h-6 items-center rounded hover:underline"
      >
        {words.states[state]}
      </Link>
      {state === 'interrupted' && reason && (
        <span className="text-bad">{reasonText(words, reason)}</span>
      )}
      <Ago at={endedAt ?? startedAt} className="text-faint tabular-nums" />
    </span>
  )
}
