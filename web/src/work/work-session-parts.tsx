/** The lists of a work session: tasks, approvals, checkpoints, artifacts. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WholeWorkSession } from '../../../src/protocol/work/work-session.ts'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { taskDots } from './task-dots.ts'

interface Part {
  readonly whole: WholeWorkSession
}

/** Newest ones that are listed; nobody reads further. */
const mostListed = 100

const Nothing = ({ children }: { children: ReactNode }) => (
  <p className="border-y border-line py-3 text-faint">{children}</p>
)

export function TaskRows({ whole: { tasks, projectId } }: Part) {
  const { continuity, tasks: words } = useWords()
  return (
    <Section title={continuity.tasks} note={tasks.length || undefined}>
      {tasks.length === 0 ? (
        <Nothing>{continuity.noTasks}</Nothing>
      ) : (
        <Rows label={continuity.tasks}>
          {tasks.slice(0, mostListed).map((task) => (
            <li key={task.id} className="list-row">
              <Link
                to="/projects/$projectId/tasks"
                params={{ projectId }}
                search={{ task: task.id }}
                className="-mx-2 flex min-h-10 flex-wrap items-center gap-x-2 rounded-md px-2 py-1.5 -outline-offset-2 hover:bg-hover"
              >
                <StateDot state={taskDots[task.status]} />
                <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
                  {task.title}
                </span>
                <span className="text-sm text-quiet">{words.statuses[task.status]}</span>
                {task.status === 'in_progress' && (
                  <span className="text-sm text-quiet">{words.progress(task.progressPercent)}</span>
                )}
                <span className="ml-auto font-mono text-xs text-faint">{task.id}</span>
              </Link>
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

export function WorkApprovals({ whole: { approvals } }: Part) {
  const { continuity } = useWords()
  return (
    <Section title={continuity.approvals} note={approvals.length || undefined}>
      {approvals.length === 0 ? (
        <Nothing>{continuity.noApprovals}</Nothing>
      ) : (
        <Rows label={continuity.approvals}>
          {approvals.slice(0, mostListed).map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

export function CheckpointRows({ whole: { checkpoints } }: Part) {
  const { continuity } = useWords()
  const translate = useSaid()
  return (
    <Section title={continuity.checkpoints} note={checkpoints.length || undefined}>
      {checkpoints.length === 0 ? (
        <Nothing>{continuity.noCheckpoints}</Nothing>
      ) : (
        <Rows label={continuity.checkpoints}>
          {checkpoints.slice(0, mostListed).map((checkpoint) => (
            <li
              key={checkpoint.number}
              className="list-row flex min-h-10 flex-wrap items-center gap-x-2 py-1.5"
            >
              <span className="w-8 text-right text-sm text-faint tabular-nums">
                {checkpoint.number}
              </span>
              <span>{continuity.checkpointReasons[checkpoint.reason]}</span>
              {checkpoint.subject && (
                <span className="font-mono text-xs text-faint">{checkpoint.subject}</span>
              )}
              {checkpoint.error && (
                <span className="text-sm text-bad [overflow-wrap:anywhere]">
                  {translate(checkpoint.error.message, checkpoint.error.notice)}
                </span>
              )}
              <Ago at={checkpoint.at} className="ml-auto text-sm text-faint tabular-nums" />
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

export function ArtifactRows({ whole: { artifacts, projectId, id } }: Part) {
  const { continuity } = useWords()
  const writing = useWriting()
  const place = `/api/projects/${encodeURIComponent(projectId)}/sessions/${encodeURIComponent(id)}/artifacts/`
  return (
    <Section title={continuity.artifacts} note={artifacts.length || undefined}>
      {artifacts.length === 0 ? (
        <Nothing>{continuity.noArtifacts}</Nothing>
      ) : (
        <Rows label={continuity.artifacts}>
          {artifacts.slice(0, mostListed).map((artifact) => (
            <li
              key={artifact.name}
              className="list-row flex min-h-10 flex-wrap items-center gap-x-3 py-1.5"
            >
              <a
                href={place + encodeURIComponent(artifact.name)}
                download={artifact.name}
                aria-label={continuity.download(artifact.name)}
                className="min-w-0 rounded text-accent underline [overflow-wrap:anywhere] hover:no-underline"
              >
                {artifact.name}
              </a>
              <span className="text-sm text-faint tabular-nums">{writing.size(artifact.size)}</span>
              <Ago at={artifact.updatedAt} className="ml-auto text-sm text-faint tabular-nums" />
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}
