/** A project in a list: its name, what runs in it, its folder, its agents, when it changed. */
import { Link } from '@tanstack/react-router'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { WorkSession } from '../../../src/protocol/work/work-session.ts'
import { AgentIcon } from '../parts/icons.tsx'
import { Ago } from '../parts/time.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { ResumeButton } from '../work/resume-button.tsx'

const mostNamed = 2

interface ProjectRowProps {
  readonly project: Project
  readonly agents: readonly Agent[]
  /** The number of agents running in the project. */
  readonly running: number
  /** The newest work that could be taken up. */
  readonly toResume: WorkSession | undefined
}

export function ProjectRow({ project, agents, running, toResume }: ProjectRowProps) {
  const words = useWords()
  return (
    <li className="list-row flex items-center gap-x-2">
      <Link
        to="/projects/$projectId"
        params={{ projectId: project.id }}
        className="-mx-2 grid min-h-11 min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 rounded-md px-2 py-2 -outline-offset-2 transition-colors hover:bg-hover sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(0,2fr)_6rem]"
      >
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{project.name}</span>
          {running > 0 && (
            <span className="inline-flex shrink-0 items-center gap-1 text-sm text-quiet tabular-nums">
              <StateDot state="ready" />
              {words.running.count(running)}
            </span>
          )}
        </span>
        <span
          className={`truncate text-sm text-faint max-sm:row-start-2 ${project.path ? 'font-mono' : ''}`}
        >
          {project.path ?? words.projects.noPath}
        </span>
        <span className="flex min-w-0 items-center gap-1.5 text-sm text-quiet max-sm:hidden">
          <AgentIcon className="size-3.5 text-faint" />
          <span className="truncate">{agentNames(project, agents) || words.none}</span>
        </span>
        <span className="flex items-center gap-1 justify-self-end text-sm text-faint tabular-nums max-sm:row-start-2 sm:hidden">
          <AgentIcon className="size-3.5" />
          <span aria-hidden="true">{project.agentIds.length}</span>
          <span className="sr-only">{words.agents.count(project.agentIds.length)}</span>
        </span>
        <Ago at={project.updatedAt} className="justify-self-end text-sm text-faint tabular-nums" />
      </Link>
      <ResumeButton workSession={toResume} projectId={project.id} />
    </li>
  )
}

/** The first few by name, the rest as a number. */
function agentNames(project: Project, agents: readonly Agent[]): string {
  const names = project.agentIds.map((id) => agents.find((agent) => agent.id === id)?.name ?? id)
  const rest = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` +${rest}` : '')
}
