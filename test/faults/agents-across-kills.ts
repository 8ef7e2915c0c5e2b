/**
 * CO6: the server is killed with -9 while an agent answers, at random moments, and started again on
 * the same port. The agent and its coordinator work on; every message is answered exactly once, by
 * the same process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { agentsOf, endCoordinator } from '../support/coordinator-process.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const agentId = 'talker'
const answersWithinMs = 30_000
const askEveryMs = 50
/** How long the agent takes for its answer, in two pieces. */
const answerMs = 400
/** From before it has the message to after it has answered. */
const latestKillMs = 700

export interface AcrossOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
}

export interface AcrossResult {
  readonly kills: number
  readonly answered: number
  readonly tally: Tally
}

interface Asking {
  readonly client: ReturnType<typeof createClient>
  readonly projectId: string
}

export async function agentsAcrossKills({
  build,
  seed,
  kills,
}: AcrossOptions): Promise<AcrossResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-agents-across-kills-'))
  const dice = chance(seed)
  const result = { kills: 0, answered: 0, tally: newTally() }
  let port = 0
  let server: ServerProcess | undefined
  const start = async (): Promise<ReturnType<typeof createClient>> => {
    server = await startServer(build, data, port, {}, 'up')
    const { url, token } = await server.ready
    port = Number(new URL(url).port)
    return createClient({ url, token })
  }
  try {
    let asking = await begin(await start())
    const pids = new Set<number | null>()
    for (; result.kills < kills; result.kills++) {
      const text = `message ${result.kills}`
      await say(asking, `[[slow 2 ${answerMs / 2}]] ${text}`)
      await new Promise((resolve) => setTimeout(resolve, dice.below(latestKillMs)))
      server?.child.kill('SIGKILL')
      await server?.exited
      asking = { ...asking, client: await start() }
      const findings = noFindings()
      if (!(await isAnswered(asking, text)))
        findings.lost.push(`no answer within ${answersWithinMs / 1000} s`)
      result.answered++
      const often = (await answers(asking)).filter((each) => each.includes(text)).length
      if (often > 1) findings.doubled.push(`it was answered ${often} times`)
      pids.add((await running(asking))[0]?.pid ?? null)
      if (pids.size > 1) findings.torn.push('another process answers')
      addTo(result.tally, findings, `seed ${seed}, kill ${result.kills}`)
      if (findings.lost.length > 0) break
    }
    server?.child.kill('SIGTERM')
    await server?.exited
    const left = await agentsOf(data)
    if (left.length > 0)
      addTo(
        result.tally,
        { ...noFindings(), torn: ['agents were left after the end'] },
        `seed ${seed}`,
      )
    return result
  } finally {
    server?.child.kill('SIGKILL')
    await server?.exited
    await endCoordinator(data)
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function begin(client: Asking['client']): Promise<Asking> {
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'talk' } })
  const args = ['demo-mcp', '--stay']
  await client.post('/api/agents', {
    body: { id: agentId, name: 'Talker', protocol: 'mcp', command: 'holdfast', args },
  })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
    body: {},
  })
  await client.post('/api/projects/{projectId}/chat/start', {
    params: { projectId },
    query: { agentId },
  })
  const asking = { client, projectId }
  // The first answer is that of a process that is there.
  await say(asking, 'hello')
  if (!(await isAnswered(asking, 'hello'))) throw new Error('The agent was never started')
  return asking
}

async function say({ client, projectId }: Asking, content: string): Promise<void> {
  await client.post('/api/chat', { body: { projectId, toAgentId: agentId, content } })
}

async function answers({ client, projectId }: Asking): Promise<string[]> {
  const params = { projectId, agentId }
  const { items } = await client.get('/api/projects/{projectId}/agents/{agentId}/messages', {
    params,
    query: { limit: 100 },
  })
  return items.filter(({ senderId }) => senderId === agentId).map(({ content }) => content)
}

async function isAnswered(asking: Asking, text: string): Promise<boolean> {
  const until = performance.now() + answersWithinMs
  while (performance.now() < until) {
    if ((await answers(asking)).some((each) => each.endsWith(`echo: ${text}`))) return true
    await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  }
  return false
}

const running = async ({ client, projectId }: Asking) =>
  (await client.get('/api/processes', { query: { projectId, state: 'running' } })).items
