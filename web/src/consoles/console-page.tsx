/** The tab Console of a project: the user sessions that are open in it, and a new one. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { UserSession } from '../../../src/protocol/consoles/user-session.ts'
import { useDisplayName } from '../live/display-names.ts'
import { refetch, useMay } from '../live/queries.ts'
import { recent } from '../live/recent.ts'
import { useStream } from '../live/streams.ts'
import { userSessionsOf } from '../live/user-sessions.ts'
import { SubmitButton } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Empty, Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { ProjectSessions } from '../projects/project-sessions.tsx'
import { useProject } from '../projects/use-project.ts'
import { viewsOf } from '../shell/listed-views.ts'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { createUserSession } from './live-console.ts'

export function ConsolePage() {
  const words = useWords()
  const navigate = useNavigate()
  const project = useProject()
  const mayWrite = useMay('write')
  const { send, waiting, error } = useRequest()
  const query = userSessionsOf(project?.id ?? '')
  const list = useQuery({ ...query, enabled: project !== undefined })
  useStream(project && `project:${project.id}`)
  if (!project) return null

  const begin = () =>
    send(async () => {
      const userSessionId = await createUserSession(project.id)
      await navigate({
        to: '/projects/$projectId/console/$userSessionId',
        params: { projectId: project.id, userSessionId },
      })
    })
  const start = mayWrite && (
    <SubmitButton type="button" waiting={waiting} onClick={() => void begin()}>
      <PlusIcon />
      {words.console.new}
    </SubmitButton>
  )
  return (
    <>
      <Section title={words.console.title} actions={list.data && list.data.length > 0 && start}>
        <ProblemNote error={error} />
        {!list.data && list.error ? (
          <ProblemNote error={list.error} onRetry={() => void list.refetch()} />
        ) : null}
        {!list.data && !list.error && (
          <Waiting what={words.things.console} onRetry={() => void refetch(query)} />
        )}
        {list.data?.length === 0 && (
          <Empty title={words.console.none}>
            <p className="text-quiet">{words.console.noneText}</p>
            {start}
          </Empty>
        )}
        {list.data && list.data.length > 0 && (
          <Rows label={words.console.title}>
            {list.data.map((userSession) => (
              <UserSessionRow key={userSession.id} userSession={userSession} />
            ))}
          </Rows>
        )}
      </Section>
      <ProjectSessions projectId={project.id} />
    </>
  )
}

function UserSessionRow({ userSession }: { userSession: UserSession }) {
  const { console: words } = useWords()
  const nameOf = useDisplayName()
  const { id, projectId, agents, accountId, lastActiveAt } = userSession
  const listed = useQuery({ ...recent, enabled: false }).data ?? []
  const title = viewsOf(listed, projectId).find((view) => view.userSessionId === id)?.title
  return (
    <li className="list-row">
      <Link
        to="/projects/$projectId/console/$userSessionId"
        params={{ projectId, userSessionId: id }}
        className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 py-1.5 hover:bg-hover"
      >
        <span className="max-w-full min-w-0 truncate font-medium">{title ?? words.one}</span>
        <span className="text-sm text-quiet">{nameOf(accountId)}</span>
        {agents.length === 0 && <span className="text-quiet">{words.nobody}</span>}
        {agents.map((agent) => (
          <span key={agent.role} className="flex min-w-0 items-center gap-1.5 text-quiet">
            <StateDot state={dotOf(agent)} />
            <span className="truncate">{agent.role}</span>
            <span className="sr-only">{words.states[dotOf(agent)]}</span>
          </span>
        ))}
        <Ago at={lastActiveAt} className="ml-auto text-sm text-faint tabular-nums" />
      </Link>
    </li>
  )
}

function dotOf({
  state,
  permissions,
  questions = [],
  turn,
}: UserSession['agents'][number]): LiveState {
  if (state === 'SPAWNING') return 'starting'
  if (state === 'FAILED') return 'failed'
  if (permissions.length + questions.length > 0) return 'waiting'
  return turn ? 'working' : 'idle'
}
