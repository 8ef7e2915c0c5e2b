/**
 * `holdfast demo-mcp`: the built-in MCP demo agent that pulls its work, started by hand or as a
 * launch (CO4).
 */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { demoMcp as entry } from '../../domain/agents/demo.ts'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { command, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { findByName } from '../find-by-name.ts'

interface Assignment {
  readonly url: string
  readonly bearer: string
  readonly agentId: string
  readonly projectId: string
  readonly launchId: string | undefined
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

/**
 * Creates and assigns an agent in the person's name, with a passkey that only this process knows.
 */
async function byHand(
  context: CommandContext,
  agentId: string = entry.id,
  projectName = 'demo',
): Promise<Assignment> {
  const project = await findByName('project', projectName, context.client.pages('/api/projects'))
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

export const demoMcp = command({
  summary: 'Run the demo agent, which pulls its work and echoes what it is told',
  options: {
    project: option.text('<project>', 'the project to work in (demo)'),
    agent: option.text(
      '<agent>',
      'the agent to be; made if there is none (demo-mcp), and given a new passkey',
    ),
    stay: option.flag('wait for work when there is none, rather than to end'),
  },
  examples: [
    ['demo-mcp --stay', 'answer whatever is written to demo-mcp in the project demo'],
    [
      'demo-mcp --project web --agent helper',
      'do what there is to do for the agent helper, then end',
    ],
  ],
  async run(context, given) {
    const assignment = launched(context) ?? (await byHand(context, given.agent, given.project))
    context.end()
    const { runDemoAgent } = await import('../../compose/run-demo-agent.ts')
    const { cwd, stderr } = context.terminal
    const log = (line: string): void => void stderr.write(`demo-mcp: ${line}\n`)
    const { version } = findPackageRoot()
    await runDemoAgent({ ...assignment, version, folder: cwd, stays: given.stay, log })
  },
})
