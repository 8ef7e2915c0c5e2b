/**
 * An approval-gated plan of dependent tasks for two agents that pull (WK5, AP8): pairs of tasks,
 * each of which asks a person, each pair waiting for the pair before. An agent or the server is
 * killed with -9 while both wait, and the person does nothing but decide. Then: every task is done
 * once, in order, in one work session, and nobody was asked twice.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/client/client.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { eventually, TooLate } from './eventually.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface PlanKillOptions {
  readonly build: string
  readonly seed: string
  /** Work sessions of two tasks each. */
  readonly pairs: number
  readonly kills: number
}

export interface PlanKillResult {
  readonly tasks: number
  readonly kills: number
  readonly tally: Tally
}

const agents = ['left', 'right'] as const

export async function planKills({
  build,
  seed,
  pairs,
  kills,
}: PlanKillOptions): Promise<PlanKillResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-plan-'))
  const dice = chance(seed)
  const result = { tasks: 2 * pairs, kills: 0, tally: newTally() }
  let server = await startServer(build, data, 0, {}, 'up')
  try {
    const { url, token } = await server.ready
    const client = createClient({ url, token })
    const plan = await begin(client, pairs)
    for (let pair = 0; pair < pairs; pair++) {
      let asked = await plan.asked(pair)
      // Spread over the pairs, so that each meets about as many.
      for (; result.kills < Math.ceil((kills * (pair + 1)) / pairs); result.kills++) {
        if (result.kills % 2 === 0) await plan.killAgent(dice.pick(agents))
        else server = await killServer(server, build, data, Number(new URL(url).port))
        asked = await plan.asked(pair)
      }
      for (const id of asked) await plan.approve(id)
    }
    addTo(result.tally, { ...noFindings(), ...(await plan.findings()) }, `seed ${seed}`)
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    addTo(
      result.tally,
      { ...noFindings(), lost: [error.message] },
      `seed ${seed}, after ${result.kills} kills`,
    )
  } finally {
    server.child.kill('SIGKILL')
    await server.exited
    await endCoordinator(data)
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
  return result
}

async function killServer(
  { child, exited }: ServerProcess,
  build: string,
  data: string,
  port: number,
): Promise<ServerProcess> {
  child.kill('SIGKILL')
  await exited
  const next = await startServer(build, data, port, {}, 'up')
  await next.ready
  return next
}

async function begin(client: Client, pairs: number) {
  const settings = { 'restart.max': 100 }
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'plan', settings } })
  const params = { projectId }
  for (const agentId of agents) {
    const entry = { id: agentId, name: agentId, command: 'holdfast', args: ['demo-mcp'] }
    await client.post('/api/agents', { body: { ...entry, protocol: 'mcp' } })
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId },
      body: {},
    })
  }
  const work = await client.post('/api/projects/{projectId}/sessions', { params, body: {} })
  const ids: string[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const before = ids.slice(-2)
    for (const assignedTo of agents) {
      const description = `[[ask May ${assignedTo} do step ${pair}?]]`
      const draft = {
        ['sessionId']: work.id,
        phase: pair,
        type: 'step',
        title: `step ${pair}`,
        description,
        assignedTo,
      }
      ids.push(
        (
          await client.post('/api/projects/{projectId}/tasks', {
            params,
            body: { ...draft, dependsOn: before },
          })
        ).id,
      )
    }
  }
  const first = {
    params: { projectId, taskId: ids[0] ?? '' },
    body: { status: 'in_progress' as const },
  }
  await client.patch('/api/projects/{projectId}/tasks/{taskId}', first)
  const place = { params: { projectId, workSessionId: work.id } }
  const whole = () => client.get('/api/projects/{projectId}/sessions/{workSessionId}', place)
  const pending = async () => (await whole()).approvals.filter(({ status }) => status === 'pending')
  const processOf = async (agentId: string) =>
    (await client.get('/api/processes', { query: { projectId, state: 'running' } })).items.find(
      (each) => each.agentId === agentId,
    )
  return {
    /** Both of the pair have asked, and both are there. */
    asked: (pair: number) =>
      eventually(`the questions of step ${pair}`, async () => {
        const open = (await pending()).filter(({ instructionContent }) =>
          instructionContent?.endsWith(` step ${pair}?`),
        )
        const { items } = await client.get('/api/agent-sessions', {
          query: { projectId, state: 'active' },
        })
        return open.length === agents.length && items.length === agents.length
          ? open.map(({ id }) => id)
          : undefined
      }),
    /** And waits until it was started again. */
    async killAgent(agentId: string) {
      const { pid, launchId } = await eventually(`a process of ${agentId}`, () =>
        processOf(agentId),
      )
      process.kill(pid ?? 0, 'SIGKILL')
      await eventually(`the next process of ${agentId}`, async () => {
        const next = await processOf(agentId)
        return next && next.launchId !== launchId ? true : undefined
      })
    },
    approve: (approvalId: number) =>
      client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
        params: { projectId, approvalId: String(approvalId) },
        body: { status: 'approved' },
      }),
    async findings() {
      const done = await eventually('the end of the plan', async () => {
        const now = await whole()
        return now.state === 'running' ? undefined : now
      })
      const lost = done.tasks
        .filter(({ result }) => (result as { answer?: string } | null)?.answer !== 'approved')
        .map(({ id }) => id)
      if (done.state !== 'completed' || done.tasks.length !== ids.length)
        lost.push(`it is ${done.stateSummary}`)
      const doubled =
        done.approvals.length > ids.length
          ? [`${done.approvals.length} questions for ${ids.length} tasks`]
          : []
      const startOf = new Map(done.tasks.map(({ id, startedAt }) => [id, startedAt ?? '']))
      const early = done.tasks.filter(({ completedAt, id }) =>
        done.tasks.some(
          (other) =>
            other.dependsOn.includes(id) && (startOf.get(other.id) ?? '') < (completedAt ?? ''),
        ),
      )
      return { lost, doubled, reordered: early.map(({ id }) => id) }
    },
  }
}
