/**
 * A piece of work as an agent and a person do it over HTTP, step by step: two phases with tasks
 * that wait for each other, an approval, what failed and what was verified, a checkpoint, an
 * artifact, and an interruption in the middle. Each step has a key of its own, so it can be sent
 * again; what was acknowledged is written down.
 */
import type { Client } from '../../../src/client/client.ts'

/** What must be there, because it was acknowledged. */
export interface Model {
  projectId: string
  workSessionId: string
  readonly tasks: Map<string, string>
  readonly approvals: Map<number, string>
  readonly approaches: Map<string, string>
  readonly artifacts: Map<string, number>
}

export const newModel = (): Model => ({
  projectId: '',
  workSessionId: '',
  tasks: new Map(),
  approvals: new Map(),
  approaches: new Map(),
  artifacts: new Map(),
})

interface Sending {
  readonly client: Client
  readonly model: Model
  /** Without retries: the test that kills the server wants to know what was answered. */
  readonly options: {
    readonly idempotencyKey: string
    readonly retries: 0
    readonly timeoutMs: number
  }
}

export interface Step {
  readonly name: string
  readonly send: (sending: Sending) => Promise<void>
}

const project = '/api/projects/{projectId}'
const work = '/api/projects/{projectId}/sessions/{workSessionId}'

const inProject = ({ model: { projectId } }: Sending) => ({ projectId })
const inWork = ({ model: { projectId, workSessionId } }: Sending) => ({ projectId, workSessionId })

interface TaskState {
  readonly id: string
  readonly status: string
  readonly progressPercent: number
}

const note = (model: Model, { id, status, progressPercent }: TaskState): void =>
  void model.tasks.set(id, `${status} ${progressPercent}`)

const addTask = (phase: number, type: string, dependsOn: string[] = []): Step => ({
  name: `task p${phase} ${type}`,
  send: async (sending) => {
    const { client, model, options } = sending
    const body = {
      ['sessionId']: model.workSessionId,
      phase,
      type,
      title: `${type} of phase ${phase}`,
      dependsOn,
    }
    note(
      model,
      await client.post(`${project}/tasks`, { params: inProject(sending), body, ...options }),
    )
  },
})

const changeTask = (
  taskId: string,
  body: { status?: 'in_progress' | 'completed'; progressPercent?: number },
): Step => ({
  name: `${taskId} ${JSON.stringify(body)}`,
  send: async (sending) => {
    const { client, model, options } = sending
    const params = { ...inProject(sending), taskId }
    note(model, await client.patch(`${project}/tasks/{taskId}`, { params, body, ...options }))
    // What waited for it alone is lifted with it.
    if (body.status === 'completed')
      for (const [id, stands] of model.tasks)
        if (stands === 'blocked 0') model.tasks.set(id, 'pending 0')
  },
})

interface Learned {
  readonly kind: 'failed' | 'verified' | 'untried'
  readonly category: string
  readonly description: string
  readonly nextToTry?: boolean
}

const learn = (body: Learned): Step => ({
  name: `${body.kind} approach`,
  send: async (sending) => {
    const { client, model, options } = sending
    const { id, kind } = await client.post(`${work}/approaches`, {
      params: inWork(sending),
      body,
      ...options,
    })
    model.approaches.set(id, kind)
  },
})

const tried: Step = {
  name: 'an untried approach is tried',
  send: async (sending) => {
    const { client, model, options } = sending
    const params = { ...inWork(sending), approachId: 'approach_u001' }
    const { id, kind } = await client.patch(`${work}/approaches/{approachId}`, {
      params,
      body: { kind: 'verified' },
      ...options,
    })
    model.approaches.set(id, kind)
  },
}

const askAndDecide: readonly Step[] = [
  {
    name: 'approval asked',
    send: async (sending) => {
      const { client, model, options } = sending
      const body = {
        ['sessionId']: model.workSessionId,
        taskId: 'task_p1_design_001',
        checkpointType: 'plan',
        leaderId: 'lead',
      }
      const { id, status } = await client.post(`${project}/approvals`, {
        params: inProject(sending),
        body,
        ...options,
      })
      model.approvals.set(id, status)
    },
  },
  {
    name: 'approval decided',
    send: async (sending) => {
      const { client, model, options } = sending
      const [approvalId] = [...model.approvals.keys()].slice(-1)
      const params = { ...inProject(sending), approvalId: String(approvalId) }
      const body = { status: 'approved' as const }
      const { id, status } = await client.post(`${project}/approvals/{approvalId}/decision`, {
        params,
        body,
        ...options,
      })
      model.approvals.set(id, status)
    },
  },
]

const checkpoint: Step = {
  name: 'checkpoint',
  send: async (sending) => {
    const { client, options } = sending
    const body = { contextSummary: `Half way, ${options.idempotencyKey}` }
    await client.post(`${work}/checkpoint`, { params: inWork(sending), body, ...options })
  },
}

const artifact = (name: string, bytes: number): Step => ({
  name: `artifact ${name}`,
  send: async (sending) => {
    const { client, model, options } = sending
    const body = new Blob(['x'.repeat(bytes)])
    const stored = await client.upload(`${work}/artifacts/{name}`, {
      params: { ...inWork(sending), name },
      body,
      timeoutMs: options.timeoutMs,
    })
    model.artifacts.set(`${model.workSessionId}/${name}`, stored.size)
  },
})

export const interrupt: Step = {
  name: 'interrupted',
  send: async (sending) => {
    const { client, options } = sending
    await client.post(`${work}/end`, {
      params: inWork(sending),
      body: { reason: 'power_cut' },
      ...options,
    })
  },
}

export const resume: Step = {
  name: 'resumed',
  send: async (sending) => {
    const { client, model, options } = sending
    const resumed = await client.post(`${work}/resume`, { params: inWork(sending), ...options })
    model.workSessionId = resumed.session.id
  },
}

export const steps: readonly Step[] = [
  {
    name: 'project',
    send: async ({ client, model, options }) => {
      model.projectId = (
        await client.post('/api/projects', { body: { name: 'game' }, ...options })
      ).id
    },
  },
  {
    name: 'work session',
    send: async (sending) => {
      const { client, model, options } = sending
      const body = { contextSummary: 'Begun', phase: 1, agentRole: 'LEADER' }
      model.workSessionId = (
        await client.post(`${project}/sessions`, { params: inProject(sending), body, ...options })
      ).id
    },
  },
  addTask(1, 'design'),
  addTask(1, 'code', ['task_p1_design_001']),
  addTask(2, 'code'),
  changeTask('task_p1_design_001', { status: 'in_progress' }),
  changeTask('task_p1_design_001', { progressPercent: 50 }),
  learn({ kind: 'failed', category: 'jump', description: 'velocity.y' }),
  ...askAndDecide,
  changeTask('task_p1_design_001', { status: 'completed' }),
  learn({ kind: 'untried', category: 'jump', description: 'a ray', nextToTry: true }),
  changeTask('task_p1_code_001', { status: 'in_progress' }),
  artifact('plan.md', 300_000),
  checkpoint,
  interrupt,
  resume,
  changeTask('task_p1_code_001', { progressPercent: 70 }),
  tried,
  learn({ kind: 'verified', category: 'state', description: 'typed' }),
  changeTask('task_p1_code_001', { status: 'completed' }),
  changeTask('task_p2_code_001', { status: 'in_progress' }),
  addTask(2, 'test', ['task_p2_code_001']),
  artifact('plan.md', 10),
  learn({ kind: 'failed', category: 'land', description: 'on the feet' }),
  changeTask('task_p2_code_001', { progressPercent: 30 }),
]
