/** The agents that are signed in, with purpose and time. */
import { useQuery } from '@tanstack/react-query'
import type { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import { useAgentAndProject } from '../live/display-names.ts'
import { liveAgentSessions } from '../live/processes.ts'
import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { AgentInProject } from './agent-in-project.tsx'

export function AgentSessions() {
  const { agentSessions: words } = useWords()
  const { data } = useQuery(liveAgentSessions)
  if (!data) return null
  return (
    <Section title={words.title} note={data.length > 0 && data.length}>
      {data.length === 0 ? (
        <p className="text-faint">{words.none}</p>
      ) : (
        <Rows label={words.title}>
          {data.map((agentSession) => (
            <AgentSessionRow key={agentSession.id} agentSession={agentSession} />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function AgentSessionRow({ agentSession }: { agentSession: AgentSession }) {
  const { agentSessions: words } = useWords()
  const { agent, project } = useAgentAndProject(agentSession)
  const { purpose, state, launchId, createdAt } = agentSession
  return (
    <li className="list-row grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_7rem]">
      <span className="flex min-w-0 items-center gap-2">
        <StateDot state={state === 'active' ? 'ready' : 'starting'} />
        <AgentInProject agent={agent} project={project} />
      </span>
      <span className="truncate text-sm text-quiet max-sm:col-span-2 max-sm:row-start-2">
        {[words.purposes[purpose], words.states[state], launchId === null && words.byOthers]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className="justify-self-end text-sm text-faint">
        <ElapsedTime since={Date.parse(createdAt)} />
      </span>
    </li>
  )
}
