/** The agents of a project: assign one, take one off, undo either. */
import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunningAgent } from '../../../src/client/running.ts'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { withAssignment } from '../live/home.ts'
import { coordinators } from '../live/processes.ts'
import { changeHome, client, useHome, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { activityOf, useRunning } from '../now/running.ts'
import { buttonClass, IconButton } from '../parts/button.tsx'
import { CloseIcon, PlusIcon } from '../parts/icons.tsx'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { FirstAgents } from './first-agents.tsx'

export function ProjectAgents({ project }: { project: Project }) {
  const words = useWords()
  const home = useHome()
  const mayWrite = useMay('write')
  const assignment = useAssignment(project)
  const running = useRunning() ?? []
  const agents = home?.agents ?? []
  const assigned = project.agentIds
    .map((id) => agents.find((agent) => agent.id === id))
    .filter((agent) => agent !== undefined)
  const others = agents.filter((agent) => !project.agentIds.includes(agent.id))
  return (
    <Section
      title={words.project.agents}
      note={assigned.length || undefined}
      actions={
        mayWrite && (
          <AssignMenu others={others} any={agents.length > 0} onAssign={assignment.assign} />
        )
      }
    >
      <ProblemNote error={assignment.error} />
      {assigned.length === 0 ? (
        <div className="border-y border-line py-3">
          <p className="text-faint">{words.project.noAgents}</p>
          {mayWrite && <FirstAgents project={project} />}
        </div>
      ) : (
        <Rows label={words.project.agents}>
          {assigned.map((agent) => (
            <li key={agent.id} className="list-row flex min-h-11 items-center gap-3">
              <AgentLink agent={agent}>
                <Doing
                  running={running.find(
                    ({ agentId, projectId }) => agentId === agent.id && projectId === project.id,
                  )}
                />
              </AgentLink>
              {mayWrite && (
                <IconButton
                  label={words.project.unassignName(agent.name)}
                  onClick={() => assignment.unassign(agent)}
                >
                  <CloseIcon />
                </IconButton>
              )}
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function Doing({ running }: { running: RunningAgent | undefined }) {
  const words = useWords()
  const machines = useQuery(coordinators).data
  if (!running) return null
  const { dot, word } = activityOf(running, machines, words)
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-sm text-quiet">
      <StateDot state={dot} />
      <span className="truncate">{word}</span>
    </span>
  )
}

const AgentLink = ({ agent, children }: { agent: Agent; children: ReactNode }) => (
  <Link
    to="/agents/$agentId"
    params={{ agentId: agent.id }}
    className="-mx-2 flex min-w-0 flex-1 flex-wrap items-center gap-x-3 rounded-md px-2 py-2 transition-colors hover:bg-hover"
  >
    <span className="truncate font-medium">{agent.name}</span>
    <span className="min-w-0 truncate font-mono text-sm text-faint">{agent.id}</span>
    {agent.role && <span className="text-sm text-quiet">{agent.role}</span>}
    {children}
    <span className="ml-auto text-xs text-faint uppercase max-sm:hidden">{agent.protocol}</span>
  </Link>
)

interface AssignMenuProps {
  readonly others: readonly Agent[]
  readonly any: boolean
  readonly onAssign: (agent: Agent) => void
}

function AssignMenu({ others, any, onAssign }: AssignMenuProps) {
  const words = useWords()
  const mayManage = useMay('manage')
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass()}>
        <PlusIcon />
        {words.project.assign}
      </Menu.Trigger>
      <MenuPopup>
        {others.length === 0 && (
          <p className="px-2 py-1.5 text-sm text-faint">
            {any ? words.project.assignNone : words.project.assignNoneYet}
          </p>
        )}
        {others.map((agent) => (
          <Menu.Item key={agent.id} className={itemClass} onClick={() => onAssign(agent)}>
            <span className="truncate">{agent.name}</span>
            <span className="ml-auto pl-4 font-mono text-sm text-faint">{agent.id}</span>
          </Menu.Item>
        ))}
        {mayManage && (
          <>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.LinkItem render={<Link to="." search={{ new: 'agent' }} />} className={itemClass}>
              <PlusIcon />
              {words.project.addAgent}
            </Menu.LinkItem>
          </>
        )}
      </MenuPopup>
    </Menu.Root>
  )
}

function useAssignment(project: Project) {
  const words = useWords()
  const { send, error } = useSending<unknown>()
  const change = async (agent: Agent, assigned: boolean, undoable: boolean) => {
    const params = { projectId: project.id, agentId: agent.id }
    const path = '/api/projects/{projectId}/agents/{agentId}'
    const done = await send([params, assigned], async (options) => {
      await (assigned
        ? client.put(path, { params, ...options })
        : client.delete(path, { params, ...options }))
      return true
    })
    if (!done) return
    changeHome((home) => withAssignment(home, project.id, agent.id, assigned))
    const message = assigned
      ? words.project.assigned(agent.name)
      : words.project.unassigned(agent.name)
    notify(message, undoable ? () => void change(agent, !assigned, false) : undefined)
  }
  return {
    error,
    assign: (agent: Agent) => void change(agent, true, true),
    unassign: (agent: Agent) => void change(agent, false, true),
  }
}
