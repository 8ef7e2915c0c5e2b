/**
 * `holdfast agents doctor`: probes an agent through the product as a person would use it (AG13). In
 * a project made for it and removed afterwards: starts the agent, prompts it, allows and denies
 * what it asks for, cancels it, ends it, brings it back and forks it.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '../../client/client.ts'
import { openRelay } from '../../client/relay.ts'
import { gitEnvironment } from '../../platform/processes/git-environment.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { AgentCheck, AgentReport } from '../../protocol/agents/report.ts'
import type { CommandContext } from '../context.ts'
import { failed, usage } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'
import { Probe } from './probe.ts'
import { ProbedConsole } from './probed-console.ts'

const run = promisify(execFile)

export async function doctorAgents(
  context: CommandContext,
  { agent: typed, prompt }: { agent: string | undefined; prompt: string | undefined },
): Promise<void> {
  const agents: Agent[] = []
  if (typed !== undefined) agents.push(await findAgent(context.client, typed))
  else
    for await (const each of context.client.pages('/api/agents'))
      if (isPrompted(each)) agents.push(each)
  const [first] = agents
  if (first && !isPrompted(first))
    throw usage(
      `${first.id} is not prompted by Holdfast.`,
      'Only agents with the protocol acp and a command can be tried out.',
    )
  const reports: AgentReport[] = []
  for (const agent of agents) {
    context.note(`Trying out ${agent.id} …`)
    const report = await probeAgent(context, agent, prompt)
    await context.client.patch('/api/agents/{agentId}', {
      params: { agentId: agent.id },
      body: { report },
    })
    reports.push(report)
  }
  context.answer(typed === undefined ? { items: reports } : reports[0], () =>
    reports.map(summaryOf).join('\n\n'),
  )
  const notStarted = reports.filter(
    ({ checks }) => !checks.some(({ name, ok }) => name === 'start' && ok),
  )
  if (notStarted.length > 0)
    throw failed(
      `${notStarted.map(({ agent }) => agent).join(', ')} could not be started.`,
      'What it said is in the report; `holdfast processes` shows the last lines it wrote.',
      'not_started',
    )
}

const isPrompted = ({ protocol, command }: Agent): boolean => protocol === 'acp' && command !== null

/** The single results were told as they came. */
const summaryOf = ({ agent, version, checks }: AgentReport): string => {
  const missing = checks.flatMap(({ name, ok }) => (ok ? [] : [name]))
  return `${[agent, version].filter(Boolean).join(' ')}: ${missing.length === 0 ? 'can do everything' : `cannot do: ${missing.join(', ')}`}`
}

async function probeAgent(
  context: CommandContext,
  agent: Agent,
  prompt: string | undefined,
): Promise<AgentReport> {
  const tell = ({ name, ok, detail }: AgentCheck): void =>
    context.note(`${ok ? '✓' : '✗'} ${name}: ${detail}`)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-doctor-'))
  const relay = openRelay(await context.connection())
  const { client } = context
  try {
    const { id: projectId } = await makeProject(client, agent, folder)
    const params = { projectId, agentId: agent.id }
    await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })
    const room = new ProbedConsole(relay, agent.id, await relay.create(projectId))
    try {
      return await new Probe({ client, agent, projectId, room, tell }).run(prompt)
    } finally {
      await room.close()
      await removeProject(client, projectId).catch(() => {})
    }
  } finally {
    relay.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * With a repository where the server is on this machine: agents bring a session back in the folder
 * it was opened in.
 */
async function makeProject(client: Client, { id }: Agent, path: string): Promise<{ id: string }> {
  const name = `agents doctor ${id} ${path.slice(-6)}`
  const how = { cwd: path, env: gitEnvironment(process.env) }
  // Without git there is nothing to fork from.
  await run('git', ['init', '-q', '--template='], how).catch(() => {})
  await run('git', ['commit', '-q', '--allow-empty', '-m', 'doctor'], how).catch(() => {})
  return client
    .post('/api/projects', { body: { name, path } })
    .catch(() => client.post('/api/projects', { body: { name } }))
}

async function removeProject(client: Client, projectId: string): Promise<void> {
  const query = { limit: 50, look: true }
  const { items } = await client.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
    query,
  })
  for (const { id: worktreeId, look } of items) {
    const removal = {
      params: { projectId, worktreeId },
      query: look?.losses ? { confirm: look.losses.digest } : {},
    }
    await client.delete('/api/projects/{projectId}/worktrees/{worktreeId}', removal).catch(() => {})
  }
  await client.delete('/api/projects/{projectId}', { params: { projectId } })
}
