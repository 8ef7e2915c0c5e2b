/**
 * The band of Now for what runs: each session at work with what its agent does this moment, for how
 * long, what it changed and cost, and the way to stop it; then agents that are there without work,
 * or cannot be.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isHeld, type RunningAgent } from '../../../src/client/running.ts'
import type { RoleAgent } from '../../../src/protocol/consoles/user-session.ts'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import { Release } from '../conversations/agent-problem.tsx'
import { TalkLink } from '../conversations/talk-link.tsx'
import { useNameOf } from '../conversations/titles.ts'
import { inbox } from '../live/approvals.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { coordinators } from '../live/processes.ts'
import { client, useMay } from '../live/queries.ts'
import { atWork, refreshRecent, useSteps } from '../live/recent.ts'
import { userSessionsWith } from '../live/user-sessions.ts'
import { IconButton } from '../parts/button.tsx'
import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { Band } from './band.tsx'
import { activityOf, begunSessionOf, withoutSession } from './running.ts'

export function AtWork({ running }: { running: readonly RunningAgent[] | undefined }) {
  const { running: words } = useWords()
  const machines = useQuery(coordinators).data
  const { data: listed } = useQuery(atWork)
  useSteps(listed ?? [])
  const asked = useQuery({ ...inbox, enabled: false }).data?.items ?? []
  const roles = useRoles(running ?? [])
  // What waits for the person stands above, once.
  const above = new Set(
    asked.flatMap(
      ({ status, permission, question }) =>
        (status === 'pending' ? (permission ?? question)?.messageId : []) ?? [],
    ),
  )
  const working = (listed ?? []).filter(
    ({ doing, kind }) => !above.has(doing?.turnId ?? '') && kind !== 'agent',
  )
  const others = withoutSession(
    (listed && running) ?? [],
    listed ?? [],
    (each) => roles(each)?.agent.conversation,
  )
  const count = working.length + others.length
  return (
    <Band
      title={words.title}
      count={working.length}
      none={count > 0 ? undefined : running && listed ? words.none : words.looking}
    >
      {count > 0 && (
        <ul aria-label={words.title} className="divide-y divide-line">
          {working.map((conversation) => (
            <TalkRow key={conversation.key} conversation={conversation} />
          ))}
          {others.map((each) => (
            <AgentRow key={each.key} running={each} role={roles(each)} coordinators={machines} />
          ))}
        </ul>
      )}
    </Band>
  )
}

const rowClass =
  'list-row relative flex min-h-10 items-center gap-x-3 py-1 hover:bg-hover max-md:min-h-14 max-md:flex-wrap max-md:gap-y-0 ' +
  'md:grid md:grid-cols-[auto_minmax(0,5fr)_minmax(0,3fr)_5rem_5.5rem_3.5rem_2rem]'
const linkClass = 'min-h-6 truncate leading-6 -outline-offset-2 after:absolute after:inset-0'
const nameClass = 'flex min-w-0 flex-1 items-baseline gap-x-2'
const placeClass = 'max-w-1/2 shrink-0 truncate text-sm text-quiet max-md:hidden'
const doingClass =
  'min-w-0 truncate text-sm text-quiet max-md:order-last max-md:basis-full max-md:pl-5.5'
const figureClass = 'text-right text-sm text-faint tabular-nums'

function TalkRow({ conversation }: { conversation: ListedConversation }) {
  const { running: words } = useWords()
  const writing = useWriting()
  const nameOf = useNameOf()
  const mayWrite = useMay('write')
  const {
    key,
    projectId,
    agentId,
    activity = 'working',
    lines,
    cost,
    doing,
    created,
    role,
  } = conversation
  const { agent, project } = useAgentAndProject({
    projectId: projectId ?? '',
    agentId: agentId ?? '',
  })
  const stopping = useRequest()
  const name = nameOf(conversation)
  const stop = async () => {
    await stopping.send(() => client.post('/api/conversations/{key}/stop', { params: { key } }))
    refreshRecent()
  }
  return (
    <li className={rowClass} data-running={agentId} data-session={key}>
      <StateDot state={activity} />
      <span className={nameClass}>
        <TalkLink
          conversationKey={key}
          projectId={projectId}
          className={linkClass}
          data-row
          title={name}
        >
          {name}
        </TalkLink>
        <span className={placeClass}>
          {project} · {role ?? agent}
        </span>
      </span>
      <span className={doingClass}>
        <Doing conversation={conversation} />
        <span className="text-faint md:hidden">
          {' · '}
          {project} · {role ?? agent}
        </span>
      </span>
      <span className={figureClass}>
        <ElapsedTime since={Date.parse(doing?.since ?? created)} />
      </span>
      <span className={`${figureClass} max-sm:hidden`}>
        {lines && lines.added + lines.removed > 0 && <LineCounts {...lines} />}
      </span>
      <span className={`${figureClass} max-md:hidden`}>
        {cost && writing.money(cost.amount, cost.currency)}
      </span>
      <span className="relative z-10 flex size-8 shrink-0 max-md:size-9">
        {mayWrite && doing && (
          <IconButton
            label={words.stop(name)}
            disabled={stopping.waiting}
            onClick={() => void stop()}
          >
            <span aria-hidden="true" className="size-2.5 rounded-xs bg-current" />
          </IconButton>
        )}
      </span>
      {stopping.error !== undefined && (
        <div className="relative z-10 w-full">
          <ProblemNote error={stopping.error} />
        </div>
      )}
    </li>
  )
}

/** The tool it uses at this moment, or what else it does. */
function Doing({ conversation }: { conversation: ListedConversation }): ReactNode {
  const { running: words } = useWords()
  const count = conversation.doing?.subAgents ?? 0
  return (
    <>
      <DoingItself conversation={conversation} />
      {count > 0 && ` · ${words.subAgents(count)}`}
    </>
  )
}

function DoingItself({
  conversation: { activity, waitsFor, doing, workplace },
}: {
  conversation: ListedConversation
}): ReactNode {
  const { running: words, console: states } = useWords()
  if (waitsFor) return words.waitsForFolder
  if (activity !== 'working') return states.states[activity ?? 'working']
  if (doing?.tool) {
    const folder = workplace?.folder
    const title = folder ? doing.tool.title.replaceAll(`${folder}/`, '') : doing.tool.title
    return (
      <>
        {states.tools[doing.tool.toolKind]} <span className="font-mono text-xs">{title}</span>
      </>
    )
  }
  return words.steps[doing?.step ?? 'none']
}

/** The role of an agent in a console. */
interface RoleInConsole {
  readonly userSessionId: string
  readonly role: string
  readonly agent: RoleAgent
}

function useRoles(
  running: readonly RunningAgent[],
): (running: RunningAgent) => RoleInConsole | undefined {
  const launchIds = running.flatMap(({ process }) => (process?.roleAgentId ? process.launchId : []))
  const { data = [] } = useQuery(userSessionsWith(launchIds))
  const roles = new Map<string | null, RoleInConsole>()
  for (const { id, agents } of data)
    for (const agent of agents)
      roles.set(agent.launchId, { userSessionId: id, role: agent.role, agent })
  return ({ process }) => roles.get(process?.launchId ?? '')
}

interface AgentRowProps {
  readonly running: RunningAgent
  readonly role: RoleInConsole | undefined
  readonly coordinators: readonly Coordinator[] | undefined
}

function AgentRow({ running, role, coordinators: machines }: AgentRowProps) {
  const words = useWords()
  const mayWrite = useMay('write')
  const { agentId, projectId, agentSession, process } = running
  const { agent, project } = useAgentAndProject(running)
  const { dot, word } = activityOf(running, machines, words, role?.agent)
  const begun = begunSessionOf(running)
  const name = <span>{agent}</span>
  const link = { className: linkClass, 'data-row': true }
  return (
    <li className={rowClass} data-running={agentId}>
      <StateDot state={dot} />
      <span className={nameClass}>
        {begun !== undefined ? (
          <TalkLink conversationKey={begun} projectId={projectId} {...link}>
            {name}
          </TalkLink>
        ) : agentSession?.purpose === 'task' ? (
          <Link to="/projects/$projectId/tasks" params={{ projectId }} {...link}>
            {name}
          </Link>
        ) : role ? (
          <Link
            to="/projects/$projectId/console/$userSessionId"
            params={{ projectId, userSessionId: role.userSessionId }}
            {...link}
          >
            {name}
          </Link>
        ) : process?.roleAgentId ? (
          <Link to="/projects/$projectId/all-sessions" params={{ projectId }} {...link}>
            {name}
          </Link>
        ) : (
          <Link to="/projects/$projectId/chat/$agentId" params={{ projectId, agentId }} {...link}>
            {name}
          </Link>
        )}
        <span className={placeClass}>
          {project}
          {role && ` · ${role.role}`}
        </span>
      </span>
      <span className={doingClass}>
        {word}
        <span className="text-faint md:hidden"> · {project}</span>
      </span>
      <span className={figureClass}>
        <ElapsedTime since={Date.parse(role?.agent.turn?.startedAt ?? running.since)} />
      </span>
      {isHeld(running) && mayWrite && (
        <span className="relative z-10 md:col-span-3 md:justify-self-end">
          <Release place={{ projectId, agentId }} agentName={agent} />
        </span>
      )}
    </li>
  )
}
