/** `holdfast demo-mcp`: the built-in MCP demo agent that pulls its work, started by hand or as a launch (CO4). */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { demoMcp as entry } from '../../domain/agents/demo.ts'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { findByName } from '../find-by-name.ts'

interface Assignment {
  readonly url: string
  readonly bearer: string
  readonly agentId: string
  readonly projectId: string
  readonly launchId: string | undefined
}

async function pullWork(context: CommandContext): Promise<void> {
  const assignment = launched(context) ?? (await byHand(context))
  context.end()
  const { runDemoAgent } = await import('../../compose/run-demo-agent.ts')
  const { cwd, stderr } = context.terminal
  const log = (line: string): void => void stderr.write(`demo-mcp: ${line}\n`)
  const { version } = findPackageRoot()
  await runDemoAgent({ ...assignment, version, folder: cwd, stays: context.flag('stay'), log })
}

/** Reads the assignment of a launch from the environment only. */
function launched({ terminal: { env } }: CommandContext): Assignment | undefined {
  const { HOLDFAST_URL, HOLDFAST_MCP_URL, HOLDFAST_LAUNCH_TOKEN: bearer } = env
  const url = HOLDFAST_MCP_URL || (HOLDFAST_URL && `${HOLDFAST_URL}/mcp`)
  const {
    HOLDFAST_AGENT_ID: agentId,
    HOLDFAST_PROJECT_ID: projectId,
    HOLDFAST_LAUNCH_ID: launchId,
  } = env
  return url && bearer && agentId && projectId
    ? { url, bearer, agentId, projectId, launchId }
    : undefined
}

/** Creates and assigns an agent in the person's name, with a passkey that only this process knows. */
async function byHand(context: CommandContext): Promise<Assignment> {
  const agentId = context.text('agent') ?? entry.id
  const project = await findByName(
    'project',
    context.text('project') ?? 'demo',
    context.client.pages('/api/projects'),
  )
  const bearer = await passkeyOf(context.client, agentId)
  await context.client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId: project.id, agentId },
    body: {},
  })
  return {
    url: `${context.client.url}/mcp`,
    bearer,
    agentId,
    projectId: project.id,
    launchId: undefined,
  }
}

async function passkeyOf(client: Client, agentId: string): Promise<string> {
  try {
    return (await client.post('/api/agents/{agentId}/passkey', { params: { agentId } })).passkey
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'agent_not_found') throw error
    return (
      await client.post('/api/agents', { body: { ...entry, id: agentId, args: [...entry.args] } })
    ).passkey
  }
}

export const demoMcp = command(pullWork)`
  Run the demo agent, which pulls its work and echoes what it is told
  --project <project>  the project to work in (demo)
  --agent <agent>  the agent to be; made if there is none (demo-mcp), and given a new passkey
  --stay  wait for work when there is none, rather than to end
  $ demo-mcp --stay  answer whatever is written to demo-mcp in the project demo
  $ demo-mcp --project web --agent helper  do what there is to do for the agent helper, then end`
