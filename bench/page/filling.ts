/**
 * Fills a server through its API: what every page is looked at and measured with. Real agents make
 * the tool calls and the change.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { createClient } from '../../src/client/client.ts'
import {
  agentNames,
  answerTo,
  projectNames,
  questions,
  sourceFile,
  summaries,
  taskTitles,
} from './texts.ts'

export interface Filling {
  readonly client: ReturnType<typeof createClient>
  /** Where the projects' repositories are made. */
  readonly folder: string
  /** Share of the whole amounts, which are 1. */
  readonly share: number
}

/** Where the largest things are. */
export interface Filled {
  readonly projectId: string
  /** The agent whose chat is the longest. */
  readonly longChat: string
  /** The agent with the tool calls and the change. */
  readonly worker: string
  readonly worktreeId: string
}

const dayMs = 86_400_000
const atOnce = 8

export async function fill({ client, folder, share }: Filling): Promise<Filled> {
  const count = (whole: number): number => Math.max(1, Math.round(whole * share))
  const agents = agentNames.slice(0, Math.max(3, count(15)))
  await inTurns(agents, ({ id, name }) =>
    client.post('/api/agents', {
      body: { id, name, protocol: 'acp', command: 'holdfast', args: ['demo-acp'] },
    }),
  )
  const projects: string[] = []
  for (const name of projectNames.slice(0, count(20))) {
    const path = makeRepository(join(folder, name))
    const settings = { 'permission.policy': 'allow_all' }
    const { id: projectId } = await client.post('/api/projects', { body: { name, path, settings } })
    projects.push(projectId)
    for (const { id: agentId } of agents.slice(0, 10))
      await client.put('/api/projects/{projectId}/agents/{agentId}', {
        params: { projectId, agentId },
      })
  }
  const [projectId = ''] = projects
  const [longChat = { id: '' }, worker = { id: '' }, asker = { id: '' }] = agents

  const pairs = projects.flatMap((project) =>
    agents.slice(0, 10).map(({ id }) => ({ project, agentId: id })),
  )
  await inTurns(pairs.slice(0, count(200)), ({ project, agentId }, nth) => {
    const isLong = project === projectId && agentId === longChat.id
    return importTalk(client, `web:${project}.${agentId}`, isLong ? count(1020) : 20, nth)
  })
  await addTasks(
    client,
    projectId,
    agents.slice(0, 10).map(({ id }) => id),
    count(500),
  )
  for (const project of projects.slice(0, 5)) await addHistory(client, project, worker.id)
  await addApprovals(client, projects, asker.id, count(30))
  const worktreeId = await work(
    client,
    { projectId, agentId: worker.id },
    { calls: count(2000), lines: count(2000) },
  )
  return { projectId, longChat: longChat.id, worker: worker.id, worktreeId }
}

type Client = Filling['client']

async function inTurns<Item>(
  items: readonly Item[],
  each: (item: Item, nth: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce)
    await Promise.all(items.slice(from, from + atOnce).map((item, nth) => each(item, from + nth)))
}

function makeRepository(folder: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    })
  mkdirSync(folder, { recursive: true })
  git('init', '--quiet', '--initial-branch=main')
  for (let nth = 0; nth < 40; nth++) {
    const path = join(folder, 'src', `area-${nth % 5}`, `file-${nth}.ts`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, sourceFile(nth, 60))
  }
  writeFileSync(join(folder, 'README.md'), '# A project\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  return folder
}

/** Imports a talk of an earlier day, so that it is in that day's note. */
async function importTalk(client: Client, key: string, length: number, nth: number): Promise<void> {
  const updated = new Date(Date.now() - (1 + (nth % 12)) * dayMs).toISOString()
  const messages = Array.from({ length }, (_, at) =>
    at % 2 === 0
      ? { role: 'user' as const, content: questions[(nth + at / 2) % questions.length] ?? '' }
      : { role: 'assistant' as const, content: answerTo(nth + at) },
  )
  let after: number | undefined
  for (let from = 0; from < length; from += 400) {
    const body = {
      messages: messages.slice(from, from + 400),
      summary: summaries[nth % summaries.length] ?? '',
      updated,
    }
    const imported = await client.post('/api/conversations/{key}/import', {
      params: { key },
      body: { ...body, ...(after !== undefined && { after }) },
    })
    after = imported.after
  }
}

async function addTasks(
  client: Client,
  projectId: string,
  agents: readonly string[],
  count: number,
): Promise<void> {
  const params = { projectId }
  const contextSummary = summaries[0] ?? ''
  const work = await client.post('/api/projects/{projectId}/sessions', {
    params,
    body: { contextSummary, phase: 1 },
  })
  const ids: string[] = []
  const types = ['code', 'test', 'docs', 'review']
  for (let nth = 0; nth < count; nth++) {
    const title = `${taskTitles[nth % taskTitles.length]} (${nth + 1})`
    const dependsOn = nth > 10 && nth % 3 === 0 ? ids.slice(nth - 7, nth - 5) : []
    const type = types[nth % types.length] ?? 'code'
    const body = {
      sessionId: work.id,
      phase: 1 + Math.floor((nth * 8) / count),
      type,
      title,
      dependsOn,
    }
    const description = `${answerTo(nth)}`
    ids.push(
      (
        await client.post('/api/projects/{projectId}/tasks', {
          params,
          body: { ...body, description },
        })
      ).id,
    )
  }
  const change = (
    taskId: string,
    body: { status: 'in_progress' | 'completed' | 'failed'; progressPercent?: number },
  ) =>
    client.patch('/api/projects/{projectId}/tasks/{taskId}', {
      params: { projectId, taskId },
      body,
    })
  for (const [nth, taskId] of ids.entries()) {
    if (nth > count / 3) break
    if (nth > 10 && nth % 3 === 0) continue
    await change(taskId, { status: 'in_progress', progressPercent: 40 })
    if (nth % 5 !== 0) await change(taskId, { status: nth % 23 === 1 ? 'failed' : 'completed' })
  }
  await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
    params: { projectId, workSessionId: work.id },
    body: { reason: 'process_crashed' },
  })
  // Only now: an agent would begin with what is assigned to it while the work goes on.
  await inTurns(ids, async (taskId, nth) => {
    const body = { assignedTo: agents[nth % agents.length] ?? null }
    if (nth % 4 !== 0)
      await client.patch('/api/projects/{projectId}/tasks/{taskId}', {
        params: { projectId, taskId },
        body,
      })
  })
}

/**
 * Work that was interrupted and resumed several times, with what was tried in each, and one that
 * was completed.
 */
async function addHistory(client: Client, projectId: string, leaderId: string): Promise<void> {
  const params = { projectId }
  const reasons = [
    'process_crashed',
    'stopped by a person',
    'server_stopped',
    'agent_timeout',
    'machine_lost',
  ]
  for (let line = 0; line < 3; line++) {
    let { id } = await client.post('/api/projects/{projectId}/sessions', {
      params,
      body: {
        contextSummary: summaries[line] ?? '',
        phase: line + 1,
        agentRole: 'implementer',
        agentType: leaderId,
      },
    })
    for (const [nth, reason] of reasons.slice(0, 3 + line).entries()) {
      const place = { projectId, workSessionId: id }
      for (const [kind, description] of [
        ['verified', `The cache is only read after the lock is held (${line}.${nth})`],
        ['failed', `Retrying without backoff doubled the load (${line}.${nth})`],
        ['untried', `Stream the file in pieces instead of reading it whole (${line}.${nth})`],
      ] as const)
        await client.post('/api/projects/{projectId}/sessions/{workSessionId}/approaches', {
          params: place,
          body: {
            kind,
            category: 'retry',
            description,
            ...(kind === 'failed' && { failureReason: 'Twice the requests' }),
          },
        })
      await client.post('/api/projects/{projectId}/tasks', {
        params,
        body: {
          sessionId: id,
          phase: line + 1,
          type: 'code',
          title: `${taskTitles[nth]} in line ${line}`,
        },
      })
      await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
        params: place,
        body: { reason },
      })
      id = (
        await client.post('/api/projects/{projectId}/sessions/{workSessionId}/resume', {
          params: place,
          body: {},
        })
      ).session.id
    }
    const end = { params: { projectId, workSessionId: id }, body: { completed: true } }
    if (line === 0) await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', end)
  }
}

async function addApprovals(
  client: Client,
  projects: readonly string[],
  leaderId: string,
  count: number,
): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    const params = { projectId: projects[nth % 5] ?? projects[0] ?? '' }
    const body = {
      checkpointType: nth % 2 ? 'plan' : 'release',
      leaderId,
      instructionContent: answerTo(nth),
    }
    const { id } = await client.post('/api/projects/{projectId}/approvals', { params, body })
    if (nth % 5 === 0) continue
    const status = nth % 3 === 0 ? 'rejected' : 'approved'
    await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params: { ...params, approvalId: String(id) },
      body: { status, feedback: status === 'approved' ? 'Go on.' : 'Not before the release.' },
    })
  }
}

const callsPerTurn = 100
const turnTakesMs = 120_000

/** Returns the worktree with the change. */
async function work(
  client: Client,
  { projectId, agentId }: { projectId: string; agentId: string },
  { calls, lines }: { calls: number; lines: number },
): Promise<string> {
  const say = async (content: string) => {
    const { id } = await client.post('/api/chat', {
      body: { projectId, toAgentId: agentId, content, workplace: 'worktree' },
    })
    await answered(client, { projectId, agentId }, id)
  }
  for (let from = 0; from < calls; from += callsPerTurn) {
    const some = Array.from(
      { length: Math.min(callsPerTurn, calls - from) },
      (_, nth) => from + nth,
    )
    const steps = some.map((nth) =>
      nth % 4 === 0 ? '[[run]]' : `[[write src/made/part-${nth % 20}.ts ${sourceFile(nth, 8)}]]`,
    )
    await say(`[[plan]] ${steps.join(' ')}`)
  }
  await say(`Rewrite the client.\n[[write src/area-0/file-0.ts ${sourceFile(1, lines)}]]`)
  const { items } = await client.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
  })
  const made = items[0]
  if (!made) throw new Error('The agent has no worktree')
  return made.id
}

async function answered(
  client: Client,
  params: { projectId: string; agentId: string },
  messageId: string,
): Promise<void> {
  const until = performance.now() + turnTakesMs
  while (performance.now() < until) {
    const { items } = await client.get('/api/projects/{projectId}/agents/{agentId}/messages', {
      params,
      query: { limit: 20 },
    })
    const asked = items.find(({ id }) => id === messageId)
    if (asked && items.some(({ role, seq }) => role === 'assistant' && seq > asked.seq)) return
    await new Promise((later) => setTimeout(later, 100))
  }
  throw new Error('The agent did not answer')
}
