/** Agents: what can be started, and how. */
import { Link } from '@tanstack/react-router'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { useHome, useMay } from '../live/queries.ts'
import { buttonClass } from '../parts/button.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Empty, Page, Rows } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'
import { KnownAgents } from './detected-agents.tsx'

export function AgentsPage() {
  const words = useWords()
  const agents = useHome()?.agents ?? []
  const mayManage = useMay('manage')
  const create = mayManage && (
    <Link
      to="."
      search={{ new: 'agent' }}
      className={buttonClass(agents.length === 0 ? 'primary' : 'plain')}
    >
      <PlusIcon />
      {words.agents.new}
    </Link>
  )
  return (
    <Page title={words.agents.title} actions={agents.length > 0 && create}>
      {agents.length === 0 ? (
        <Empty title={words.agents.firstTitle}>
          <p className="max-w-prose text-quiet">{words.agents.firstText}</p>
          {create || <p className="text-quiet">{words.agents.mayNot}</p>}
        </Empty>
      ) : (
        <Rows label={words.agents.title}>
          {agents.map((agent) => (
            <AgentRow key={agent.id} agent={agent} />
          ))}
        </Rows>
      )}
      {mayManage && <KnownAgents />}
    </Page>
  )
}

function AgentRow({ agent }: { agent: Agent }) {
  const words = useWords()
  const count = agent.projectIds.length
  return (
    <li className="list-row">
      <Link
        to="/agents/$agentId"
        params={{ agentId: agent.id }}
        className="-mx-2 grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 rounded-md px-2 py-2 -outline-offset-2 transition-colors hover:bg-hover sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_3rem_8rem]"
      >
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className="truncate font-medium">{agent.name}</span>
          {agent.role && <span className="text-sm text-quiet">{agent.role}</span>}
        </span>
        <span
          className={`truncate text-sm text-faint max-sm:col-span-2 max-sm:row-start-2 ${agent.command === null ? '' : 'font-mono'}`}
        >
          {agent.command === null
            ? words.agents.startedByOthers
            : [agent.command, ...agent.args].join(' ')}
        </span>
        <span className="text-xs text-faint uppercase">{agent.protocol}</span>
        <span className="justify-self-end text-sm whitespace-nowrap text-faint max-sm:hidden">
          {count === 0 ? words.agents.noProjects : words.agents.inProjects(count)}
        </span>
      </Link>
    </li>
  )
}
