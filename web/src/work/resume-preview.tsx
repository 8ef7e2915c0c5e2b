/**
 * What a resume would do, before it is done (RS7): why the work stopped, who starts with what, who
 * cannot and what would help, what becomes of the tasks.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ResumePreview as Preview } from '../../../src/protocol/work/resume.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client } from '../live/queries.ts'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { reasonText } from './reason-text.ts'
import { usePreviewWords } from './words.ts'

interface ResumePreviewProps {
  readonly workSession: WorkSession
  readonly projectId: string
  readonly waiting: boolean
  readonly error: unknown
  readonly onResume: () => void
  readonly onClose: () => void
}

export function ResumePreview({
  workSession,
  projectId,
  waiting,
  error,
  onResume,
  onClose,
}: ResumePreviewProps) {
  const words = useWords()
  const preview = usePreviewWords()
  const {
    data,
    error: unread,
    refetch,
  } = useQuery({
    queryKey: ['resume-preview', workSession.id],
    queryFn: ({ signal }) => {
      const params = { projectId, workSessionId: workSession.id }
      return client.get('/api/projects/{projectId}/sessions/{workSessionId}/resume', {
        params,
        signal,
      })
    },
    // What is missing may be there when somebody looks again.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: true,
  })
  const starting = data?.agents.filter(({ missing }) => missing === null) ?? []
  return (
    <InputDialog title={preview.title} open onClose={onClose} wide>
      <DialogBody>
        <p className="[overflow-wrap:anywhere]">
          {workSession.interruptionReason && (
            <>{reasonText(words.workSessions, workSession.interruptionReason)} </>
          )}
          {workSession.endedAt && <Ago at={workSession.endedAt} className="text-quiet" />}
        </p>
        {!data && unread ? <ProblemNote error={unread} onRetry={() => void refetch()} /> : null}
        {!data && !unread && (
          <Waiting what={words.things.work} onRetry={() => void refetch()} rows={3} />
        )}
        {data && <Found data={data} projectId={projectId} onLeave={onClose} />}
        <ProblemNote error={error} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{words.act.cancel}</Button>
        <SubmitButton
          type="button"
          data-first
          look={data && data.missing.length > 0 ? 'plain' : 'primary'}
          waiting={waiting}
          disabled={!data}
          onClick={onResume}
        >
          {data && data.missing.length > 0
            ? preview.takeUp
            : preview.resume(Math.max(1, starting.length))}
        </SubmitButton>
      </DialogFoot>
    </InputDialog>
  )
}

interface FoundProps {
  readonly data: Preview
  readonly projectId: string
  readonly onLeave: () => void
}

function Found({ data: { agents, missing, tasks, learned }, projectId, onLeave }: FoundProps) {
  const preview = usePreviewWords()
  const starting = agents.filter((each) => each.missing === null)
  const cannot = agents.filter((each) => each.missing !== null)
  // Those of agents and machines stand with the agent that needs them.
  const others = missing.filter(({ what }) => what === 'task' || what === 'role')
  const counts = (['completed', 'continuing', 'ready', 'waiting', 'failed'] as const).filter(
    (name) => tasks[name] > 0,
  )
  return (
    <>
      {starting.length > 0 && <Agents title={preview.start} agents={starting} />}
      {cannot.length > 0 && (
        <Agents title={preview.cannot} agents={cannot} projectId={projectId} onLeave={onLeave} />
      )}
      {others.length > 0 && (
        <section aria-label={preview.missing} className="flex flex-col gap-1">
          <h3 className="text-sm font-semibold">{preview.missing}</h3>
          <ul className="divide-y divide-line">
            {others.map((each) => (
              <li key={each.detail} className="flex flex-wrap items-center gap-x-3 py-2">
                <Why missing={each} />
                <Help what={each.what} projectId={projectId} onLeave={onLeave} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label={preview.tasks} className="flex flex-col gap-1">
        <h3 className="text-sm font-semibold">{preview.tasks}</h3>
        <ul className="text-sm">
          {counts.map((name) => (
            <li key={name}>{preview.counts[name](tasks[name])}</li>
          ))}
          {counts.length === 0 && <li className="text-quiet">{preview.noTasks}</li>}
        </ul>
      </section>
      <p className="text-sm text-quiet">{preview.learned(learned)}</p>
    </>
  )
}

interface AgentsProps {
  readonly title: string
  readonly agents: Preview['agents']
  readonly projectId?: string
  readonly onLeave?: () => void
}

function Agents({ title, agents, projectId, onLeave }: AgentsProps) {
  const preview = usePreviewWords()
  const nameOf = useDisplayName()
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="text-sm font-semibold">{title}</h3>
      <ul className="divide-y divide-line">
        {agents.map(({ agentId, task, taskCount, missing }) => (
          <li key={agentId ?? ''} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <StateDot state={missing ? 'failed' : 'ready'} />
            <span className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
              <span className="font-medium">
                {agentId === null ? preview.nobody : nameOf(agentId)}
              </span>{' '}
              <span dir="auto">{preview.begins(task.title, task.progressPercent)}</span>
              {taskCount > 1 && (
                <span className="text-quiet"> {preview.further(taskCount - 1)}</span>
              )}
              {missing && <Why missing={missing} />}
            </span>
            {missing && projectId && onLeave && (
              <Help what={missing.what} projectId={projectId} onLeave={onLeave} />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

type Missing = Preview['missing'][number]

function Why({ missing: { detail, notice } }: { missing: Missing }) {
  const said = useSaid()
  return <span className="block min-w-0 flex-1 text-sm text-quiet">{said(detail, notice)}</span>
}

/** Where what is missing can be given. */
const places = {
  agent: '/projects/$projectId',
  machine: '/system',
  task: '/projects/$projectId/tasks',
  role: '/projects/$projectId/all-sessions',
} as const

interface HelpProps {
  readonly what: Missing['what']
  readonly projectId: string
  readonly onLeave: () => void
}

function Help({ what, projectId, onLeave }: HelpProps) {
  const preview = usePreviewWords()
  return (
    <Link
      to={places[what]}
      params={{ projectId }}
      className={buttonClass('quiet')}
      onClick={onLeave}
    >
      {preview.help[what]}
    </Link>
  )
}
