/**
 * One work session (WK3): its state, tasks, approvals, checkpoints, artifacts and the session it
 * was resumed from.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WholeWorkSession } from '../../../src/protocol/work/work-session.ts'
import { workSessionOf } from '../live/continuity.ts'
import { client, refetch, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { buttonClass, SubmitButton } from '../parts/button.tsx'
import { CopyId, shortened } from '../parts/copy.tsx'
import { notify } from '../parts/notices.tsx'
import { Fact, Facts, Section } from '../parts/page.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { Gone } from '../shell/not-found.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { DismissButton } from './dismiss-button.tsx'
import { reasonText } from './reason-text.ts'
import { ResumeButton } from './resume-button.tsx'
import { stateDots } from './state-dots.ts'
import { ArtifactRows, CheckpointRows, TaskRows, WorkApprovals } from './work-session-parts.tsx'

export function WorkSessionPage() {
  const words = useWords()
  const { projectId, workSessionId } = useParams({
    from: '/shell/projects/$projectId/history/$workSessionId',
  })
  const query = workSessionOf(projectId, workSessionId)
  const { data, error } = useQuery(query)
  if (data) return <Whole whole={data} />
  if (problemIn(error)?.code === 'not_found')
    return <Gone title={words.continuity.missing} text={words.continuity.missingText} />
  if (error) return <ProblemNote error={error} onRetry={() => void refetch(query)} />
  return <Waiting what={words.things.workSession} onRetry={() => void refetch(query)} />
}

function Whole({ whole }: { whole: WholeWorkSession }) {
  const { continuity, workSessions: words } = useWords()
  const translate = useSaid()
  const { id, projectId, state, interruptionReason: reason } = whole
  const isOffered = state === 'interrupted' && whole.resumedBy === null
  return (
    <>
      <Section
        title={continuity.one}
        note={<CopyId id={id} what={words.id} />}
        actions={
          <>
            <Link
              to="/projects/$projectId/history"
              params={{ projectId }}
              className={buttonClass('quiet')}
            >
              {continuity.back}
            </Link>
            {state === 'running' && <SaveCheckpoint whole={whole} />}
            {isOffered && whole.dismissedAt === null && <DismissButton workSession={whole} />}
            <ResumeButton workSession={whole} projectId={projectId} offered={isOffered} />
          </>
        }
      >
        <Facts>
          <Fact name={continuity.state}>
            <span className="inline-flex flex-wrap items-center gap-2">
              <StateDot state={stateDots[state]} />
              {words.states[state]}
              {reason && <span className="text-bad">{reasonText(words, reason)}</span>}
              {whole.dismissedAt && <span className="text-faint">{continuity.dismissedMark}</span>}
              {whole.setAside && (
                <span className="text-warn">{`${continuity.setAside}: ${whole.setAside}`}</span>
              )}
            </span>
          </Fact>
          {whole.waitsFor.length > 0 && (
            <Fact name={continuity.waitsFor}>
              {whole.waitsFor
                .map((each) => continuity.waitsForOne(each, taskIn(whole, each)))
                .join(' · ')}
            </Fact>
          )}
          <Fact name={continuity.summary}>
            <span className="whitespace-pre-wrap">{whole.contextSummary || words.nothing}</span>
          </Fact>
          <Fact name={continuity.began}>
            <Ago at={whole.startedAt} />
          </Fact>
          {whole.endedAt && (
            <Fact name={continuity.ended}>
              <Ago at={whole.endedAt} />
            </Fact>
          )}
          {whole.error && (
            <Fact name={continuity.lastError}>
              {translate(whole.error.message, whole.error.notice)}
            </Fact>
          )}
          {whole.fileProblem && (
            <Fact name={continuity.fileProblem}>{translate(whole.fileProblem, whole.notice)}</Fact>
          )}
          {whole.parentSessionId && (
            <Fact name={continuity.from}>
              <Relative projectId={projectId} id={whole.parentSessionId} />
            </Fact>
          )}
          {whole.children.length > 0 && (
            <Fact name={continuity.as}>
              <span className="flex flex-wrap gap-x-3">
                {whole.children.map((child) => (
                  <Relative key={child.id} projectId={projectId} id={child.id} />
                ))}
              </span>
            </Fact>
          )}
        </Facts>
      </Section>
      <TaskRows whole={whole} />
      <WorkApprovals whole={whole} />
      <CheckpointRows whole={whole} />
      <ArtifactRows whole={whole} />
    </>
  )
}

/** The title of the task that is waited for, which people know better than its id. */
const taskIn = (
  { tasks }: WholeWorkSession,
  each: WholeWorkSession['waitsFor'][number],
): string | undefined =>
  'taskId' in each ? tasks.find(({ id }) => id === each.taskId)?.title : undefined

const Relative = ({ projectId, id }: { projectId: string; id: string }): ReactNode => (
  <Link
    to="/projects/$projectId/history/$workSessionId"
    params={{ projectId, workSessionId: id }}
    title={id}
    className="rounded font-mono text-sm text-accent underline hover:no-underline"
  >
    {shortened(id)}
  </Link>
)

function SaveCheckpoint({ whole: { projectId, id } }: { whole: WholeWorkSession }) {
  const { continuity } = useWords()
  const mayWrite = useMay('write')
  const { waiting, error, send } = useSending<{ path: string }>()
  const params = { projectId, workSessionId: id }
  const save = async () => {
    const saved = await send(params, (options) =>
      client.post('/api/projects/{projectId}/sessions/{workSessionId}/checkpoint', {
        params,
        ...options,
      }),
    )
    if (saved) notify(continuity.savedAt(saved.path))
  }
  if (!mayWrite) return null
  return (
    <>
      <ProblemNote error={error} />
      <SubmitButton look="plain" type="button" waiting={waiting} onClick={() => void save()}>
        {continuity.save}
      </SubmitButton>
    </>
  )
}
