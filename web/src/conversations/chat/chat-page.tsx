/** The tab Chat of a project: choose an agent, and talk to it. */
import { Link, Navigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Agent } from '../../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../../src/protocol/projects/project.ts'
import { useHome } from '../../live/queries.ts'
import { buttonClass } from '../../parts/button.tsx'
import { AgentIcon } from '../../parts/icons.tsx'
import { Empty } from '../../parts/page.tsx'
import { useProject } from '../../projects/use-project.ts'
import { useWords } from '../../translations/messages.tsx'
import { ChatPanel } from './chat-panel.tsx'

function useAgentsOf(project: Project | undefined): Agent[] {
  const known = useHome()?.agents ?? []
  return (project?.agentIds ?? [])
    .map((id) => known.find((agent) => agent.id === id))
    .filter((agent) => agent !== undefined)
}

export function ChatPage() {
  const words = useWords()
  const project = useProject()
  const agents = useAgentsOf(project)
  if (!project) return null
  const [only] = agents
  if (only && agents.length === 1) {
    return (
      <Navigate
        to="/projects/$projectId/chat/$agentId"
        params={{ projectId: project.id, agentId: only.id }}
        replace
      />
    )
  }
  return only ? (
    <div className="flex flex-col gap-3 py-6">
      <p className="text-quiet">{words.chat.choose}</p>
      <AgentChoice project={project} agents={agents} />
    </div>
  ) : (
    <NobodyHere project={project} title={words.chat.noAgents}>
      <p className="text-quiet">{words.chat.noAgentsText}</p>
    </NobodyHere>
  )
}

export function AgentChatPage() {
  const words = useWords()
  const { agentId } = useParams({ from: '/shell/projects/$projectId/chat/$agentId' })
  const project = useProject()
  const agents = useAgentsOf(project)
  const agent = agents.find(({ id }) => id === agentId)
  if (!project) return null
  return agent ? (
    <ChatPanel key={`${project.id} ${agent.id}`} project={project} agent={agent} />
  ) : (
    <div className="px-4">
      <NobodyHere project={project} title={words.chat.notHere}>
        {agents.length > 0 && <AgentChoice project={project} agents={agents} />}
      </NobodyHere>
    </div>
  )
}

const choiceClass =
  'flex min-h-8 max-w-full items-center gap-1.5 rounded-md px-2.5 text-quiet shadow-[inset_0_0_0_1px_var(--edge)] transition-colors ' +
  'hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:min-h-10'

function AgentChoice({ project, agents }: { project: Project; agents: readonly Agent[] }) {
  const words = useWords()
  return (
    <nav aria-label={words.chat.agents} className="flex flex-wrap gap-2">
      {agents.map((agent) => (
        <Link
          key={agent.id}
          to="/projects/$projectId/chat/$agentId"
          params={{ projectId: project.id, agentId: agent.id }}
          className={choiceClass}
        >
          <AgentIcon className="size-3.5" />
          <span className="truncate">{agent.name}</span>
          {agent.role && <span className="truncate text-sm text-faint">{agent.role}</span>}
        </Link>
      ))}
    </nav>
  )
}

function NobodyHere({
  project,
  title,
  children,
}: {
  project: Project
  title: string
  children?: ReactNode
}) {
  const words = useWords()
  return (
    <div className="py-6">
      <Empty title={title}>
        {children}
        <Link
          to="/projects/$projectId"
          params={{ projectId: project.id }}
          className={buttonClass()}
        >
          {words.chat.toOverview}
        </Link>
      </Empty>
    </div>
  )
}
