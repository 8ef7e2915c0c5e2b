/** One agent: its details, projects, passkey and deletion. */
import { Link, useParams } from '@tanstack/react-router'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { useHome, useMay } from '../live/queries.ts'
import { CopyId } from '../parts/copy.tsx'
import { Fact, Facts, Page, Section, useTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { Gone } from '../shell/not-found.tsx'
import { useWords } from '../translations/messages.tsx'
import { AgentDetails } from './agent-details.tsx'
import { DeleteAgent } from './delete-agent.tsx'
import { Passkey } from './passkey.tsx'
import { SignIn } from './sign-in.tsx'

export function AgentPage() {
  const { agentId } = useParams({ from: '/shell/agents/$agentId' })
  const agent = useHome()?.agents.find((each) => each.id === agentId)
  return agent ? <KnownAgent key={agent.id} agent={agent} /> : <MissingAgent />
}

function KnownAgent({ agent }: { agent: Agent }) {
  const words = useWords()
  const mayManage = useMay('manage')
  return (
    <Page
      title={agent.name}
      above={
        <Link
          to="/agents"
          activeOptions={{ exact: true }}
          className="flex min-h-8 items-center gap-1.5 text-quiet hover:text-ink"
        >
          {words.agents.title} <span aria-hidden="true">/</span>
        </Link>
      }
    >
      <About agent={agent} />
      {mayManage && agent.protocol === 'acp' && agent.command !== null && <SignIn agent={agent} />}
      <AgentDetails agent={agent} mayManage={mayManage} />
      {mayManage && agent.protocol === 'mcp' && <Passkey agent={agent} />}
      {mayManage && <DeleteAgent agent={agent} />}
    </Page>
  )
}

function About({ agent }: { agent: Agent }) {
  const words = useWords()
  const projects =
    useHome()?.projects.filter((project) => agent.projectIds.includes(project.id)) ?? []
  return (
    <Section title={words.project.about}>
      <Facts>
        <Fact name={words.agents.id}>
          <span className="-ml-1">
            <CopyId id={agent.id} what={words.agents.id} />
          </span>
        </Fact>
        <Fact name={words.agents.projects}>
          {projects.length === 0 && <span className="text-faint">{words.agents.noProjects}</span>}
          <span className="flex flex-wrap gap-x-3">
            {projects.map((project) => (
              <Link
                key={project.id}
                to="/projects/$projectId"
                params={{ projectId: project.id }}
                className="text-accent underline underline-offset-2 hover:text-accent-hover"
              >
                {project.name}
              </Link>
            ))}
          </span>
        </Fact>
        {agent.report && (
          <Fact name={words.detected.triedOut}>
            {agent.report.checks
              .filter(({ ok }) => !ok)
              .map(({ name }) => words.detected.cannot[name])
              .join(' · ') || words.detected.canAll}{' '}
            <Ago at={agent.report.at} />
          </Fact>
        )}
        {agent.neverAsks && !agent.report && (
          <Fact name={words.detected.triedOut}>{words.detected.cannot.permission}</Fact>
        )}
        <Fact name={words.project.createdAt}>
          <Ago at={agent.createdAt} />
        </Fact>
        <Fact name={words.project.changedAt}>
          <Ago at={agent.updatedAt} />
        </Fact>
      </Facts>
    </Section>
  )
}

function MissingAgent() {
  const words = useWords()
  useTitle(words.agents.missing)
  return <Gone title={words.agents.missing} text={words.agents.missingText} />
}
