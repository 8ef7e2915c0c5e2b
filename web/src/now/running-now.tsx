/** The band of Now for what runs: each agent as a row with what it does and for how long. One quiet line while there is nothing. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { isHeld, type RunningAgent } from '../../../src/client/running.ts'
import type { RoleAgent } from '../../../src/protocol/consoles/user-session.ts'
import type { Coordinator } from '../../../src/protocol/processes/coordinator.ts'
import { Release } from '../conversations/agent-problem.tsx'
import { useAgentAndProject } from '../live/display-names.ts'
import { coordinators } from '../live/processes.ts'
import { useMay } from '../live/queries.ts'
import { userSessionsWith } from '../live/user-sessions.ts'
import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { activityOf } from './running.ts'

export function RunningNow({ running }: { running: readonly RunningAgent[] | undefined }) {
  const { running: words } = useWords()
  const machines = useQuery(coordinators).data
  const roleOf = useRoles(running ?? [])
  return (
    <section aria-label={words.title} className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line py-2.5">
      <h2 className="w-36 font-semibold max-sm:w-full">{words.title}</h2>
      {running?.length === 0 && <p className="text-faint">{words.none}</p>}
      {running && running.length > 0 && (
        <ul aria-label={words.title} className="w-full divide-y divide-line pt-1">
          {running.map((each) => (
            <RunningRow key={each.key} running={each} role={roleOf(each)} coordinators={machines} room={running.some(isHeld)} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** The role of an agent in a console. */
interface RoleInConsole {
  readonly userSessionId: string
  readonly role: string
  readonly agent: RoleAgent
}

function useRoles(running: readonly RunningAgent[]): (running: RunningAgent) => RoleInConsole | undefined {
  const launchIds = running.flatMap(({ process }) => (process?.roleAgentId ? process.launchId : []))
  const { data = [] } = useQuery(userSessionsWith(launchIds))
  const roles = new Map<string | null, RoleInConsole>()
  for (const { id, agents } of data)
    for (const agent of agents) roles.set(agent.launchId, { userSessionId: id, role: agent.role, agent })
  return ({ process }) => roles.get(process?.launchId ?? '')
}

interface RunningRowProps {
  readonly running: RunningAgent
  readonly role: RoleInConsole | undefined
  readonly coordinators: readonly Coordinator[] | undefined
  /** Whether any row has a button, so that all reserve space for one. */
  readonly room: boolean
}

function RunningRow({ running, role, coordinators: machines, room }: RunningRowProps) {
  const words = useWords()
  const mayWrite = useMay('write')
  const { agentId, projectId, agentSession } = running
  const { agent, project } = useAgentAndProject(running)
  const { dot, word } = activityOf(running, machines, words, role?.agent)
  const isTask = agentSession?.purpose === 'task'
  const cells = (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <StateDot state={dot} />
        <span className="min-w-0 truncate">
          <span className="font-medium">{agent}</span>
          {role && <span> {role.role}</span>}
          <span className="text-quiet"> · {project}</span>
        </span>
      </span>
      <span className="truncate text-sm text-quiet max-sm:col-span-2 max-sm:row-start-2">{word}</span>
      <span className="justify-self-end text-sm text-faint">
        <ElapsedTime since={Date.parse(role?.agent.turn?.startedAt ?? running.since)} />
      </span>
    </>
  )
  const rowClass =
    '-mx-2 grid min-h-10 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 rounded-md px-2 py-1.5 -outline-offset-2 ' +
    'transition-colors hover:bg-hover sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_7rem]'
  return (
    <li className="list-row flex flex-wrap items-center gap-x-2" data-running={agentId}>
      {isTask ? (
        <Link to="/projects/$projectId/tasks" params={{ projectId }} className={rowClass} data-row>
          {cells}
        </Link>
      ) : role ? (
        <Link
          to="/projects/$projectId/console/$userSessionId"
          params={{ projectId, userSessionId: role.userSessionId }}
          className={rowClass}
          data-row
        >
          {cells}
        </Link>
      ) : running.process?.roleAgentId ? (
        <Link to="/projects/$projectId/console" params={{ projectId }} className={rowClass} data-row>
          {cells}
        </Link>
      ) : (
        <Link to="/projects/$projectId/chat/$agentId" params={{ projectId, agentId }} className={rowClass} data-row>
          {cells}
        </Link>
      )}
      {room && (
        <div className="flex justify-end sm:min-w-24">
          {isHeld(running) && mayWrite && <Release place={{ projectId, agentId }} agentName={agent} />}
        </div>
      )}
    </li>
  )
}
