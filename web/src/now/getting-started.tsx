/**
 * The first visit: nothing has ever run, so one button makes something happen (UI6). It writes to
 * the demo agent, which is started by that and shows what agents do: words, a plan, a command, a
 * permission, a file. Gone for good as soon as anything has run.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { loadOnce } from '../lazy-route.tsx'
import type { Home } from '../live/home.ts'
import { coordinators, newestProcess } from '../live/processes.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Empty } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

const KnownAgents = lazy(
  loadOnce(async () => ({
    default: (await import('../agents/detected-agents.tsx')).DetectedAgents,
  })),
)

/** As an agent's command, `holdfast` is this program. */
const isDemo = ({ command, args }: Agent): boolean =>
  command === 'holdfast' && args[0] === 'demo-acp'

function demoIn({ projects, agents }: Home): { project: Project; agent: Agent } | undefined {
  for (const project of projects) {
    const agent = agents.find((each) => isDemo(each) && project.agentIds.includes(each.id))
    if (agent) return { project, agent }
  }
  return undefined
}

export function GettingStarted({ home }: { home: Home }) {
  const mayWrite = useMay('write')
  const machines = useQuery(coordinators).data
  const ran = useQuery(newestProcess).data
  const demo = demoIn(home)
  const canStart = machines?.some(({ state }) => state === 'connected') ?? false
  if (!demo || !mayWrite || !canStart || ran?.length !== 0) return null
  return <SayHello {...demo} />
}

function SayHello({ project, agent }: { project: Project; agent: Agent }) {
  const { now } = useWords()
  const mayManage = useMay('manage')
  const navigate = useNavigate()
  const { waiting, error, send } = useSending()
  const place = { projectId: project.id, agentId: agent.id }
  const sayHello = async () => {
    const body = { projectId: project.id, toAgentId: agent.id, content: `${now.hello} [[tour]]` }
    if (await send(body, (options) => client.post('/api/chat', { body, ...options })))
      await navigate({ to: '/projects/$projectId/chat/$agentId', params: place })
  }
  return (
    <>
      <Empty title={now.firstTitle}>
        <p className="max-w-prose text-quiet">{now.firstText(project.name)}</p>
        <ProblemNote error={error} />
        <SubmitButton type="button" waiting={waiting} onClick={() => void sayHello()}>
          {now.sayHello}
        </SubmitButton>
      </Empty>
      <Suspense>{mayManage && <KnownAgents />}</Suspense>
    </>
  )
}
