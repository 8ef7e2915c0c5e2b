/** Implementation of the commands under `holdfast tasks`. */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Task } from '../../protocol/work/task.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { fields, table } from '../table.ts'
import type { Style } from '../terminal.ts'
import { exact } from '../times.ts'

type Status = Task['status']

/** Order and style of statuses, running tasks first. */
const styles = {
  in_progress: 'cyan',
  blocked: 'yellow',
  pending: 'reset',
  failed: 'red',
  completed: 'green',
} as const satisfies Record<Status, Style>
const order = Object.keys(styles)

/** Sorted by phase, then by status. */
export async function listTasks(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const phase = wholeNumber(given, 'phase')
  const [status, workSessionId] = [given.text('status') as Status | undefined, given.text('work-session')]
  const { id: projectId } = await chooseProject(context, given)
  const query = { limit: 200, ...(status ? { status } : {}), ...(workSessionId ? { workSessionId } : {}) }
  const all = client.pages('/api/projects/{projectId}/tasks', { params: { projectId }, query })
  const { items: found, nextCursor, more } = await context.list(inPhase(all, phase))
  const items = found.toSorted((a, b) => a.phase - b.phase || order.indexOf(a.status) - order.indexOf(b.status))
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint('No tasks. Make one: holdfast tasks create TITLE --type TYPE')
      : table(
          items,
          [
            { title: 'PHASE', of: (each) => String(each.phase) },
            { title: 'STATUS', of: (each) => each.status, style: (each) => styles[each.status] },
            { title: 'ID', of: (each) => each.id, style: 'bold' },
            { title: 'DONE', of: (each) => `${each.progressPercent} %` },
            { title: 'AGENT', of: (each) => each.assignedTo ?? '–' },
            { title: 'WAITS FOR', of: (each) => each.blockedBy ?? '–' },
            { title: 'TITLE', of: (each) => each.title, shrinks: true },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

async function* inPhase(all: AsyncGenerator<Task, void, undefined>, phase: number | undefined) {
  for await (const task of all) if (phase === undefined || task.phase === phase) yield task
}

export async function showTask(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const task = await client.get('/api/projects/{projectId}/tasks/{taskId}', { params: { projectId, taskId: given.operand(0) } })
  context.answer(task, () => describe(context, task))
}

export async function create(context: CommandContext, given: Given): Promise<void> {
  const [description, assignedTo, dependsOn] = [given.text('description'), given.text('agent'), given.list('depends-on')]
  const phase = wholeNumber(given, 'phase') ?? 1
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const body = {
    title: given.operand(0),
    type: given.text('type') ?? 'task',
    phase,
    ['sessionId']: given.text('work-session') ?? (await runningWork(client, projectId)),
    ...(description === undefined ? {} : { description }),
    ...(assignedTo === undefined ? {} : { assignedTo }),
    ...(dependsOn.length > 0 ? { dependsOn: [...dependsOn] } : {}),
  }
  const task = await client.post('/api/projects/{projectId}/tasks', { params: { projectId }, body })
  context.done(`Created the task ${context.paint('bold', task.id)}`)
  context.answer(task, () => describe(context, task))
}

export async function edit(context: CommandContext, given: Given): Promise<void> {
  const [status, title, description] = [
    given.text('status') as Status | undefined,
    given.text('title'),
    given.text('description'),
  ]
  const [progressPercent, agent, dependsOn, result] = [
    wholeNumber(given, 'progress'),
    given.raw('agent'),
    given.list('depends-on'),
    given.text('result'),
  ]
  const body = {
    ...(status === undefined ? {} : { status }),
    ...(progressPercent === undefined ? {} : { progressPercent }),
    ...(agent === false ? { assignedTo: null } : typeof agent === 'string' ? { assignedTo: agent } : {}),
    ...(dependsOn.length > 0 ? { dependsOn: [...dependsOn] } : {}),
    ...(result === undefined ? {} : { result: parsedResult(result) }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(body).length === 0)
    throw usage('There is nothing to change.', '`holdfast tasks edit --help` shows what can be changed.')
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const params = { projectId, taskId: given.operand(0) }
  const task = await client.patch('/api/projects/{projectId}/tasks/{taskId}', { params, body })
  context.done(`Changed the task ${context.paint('bold', task.id)}`)
  context.answer(task, () => describe(context, task))
}

/** Returns the newest running work session; without one, a new one begins when the agent takes the task. */
async function runningWork(client: Client, projectId: string): Promise<string | null> {
  for await (const each of client.pages('/api/projects/{projectId}/sessions', { params: { projectId }, query: { limit: 200 } }))
    if (each.state === 'running') return each.id
  return null
}

/** Parses JSON; otherwise returns the text. */
function parsedResult(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

function wholeNumber(given: Given, option: string): number | undefined {
  const typed = given.text(option)
  if (typed === undefined) return undefined
  if (/^-?\d{1,9}$/.test(typed)) return Number(typed)
  throw usage(`--${option} must be a whole number.`, `It was ${JSON.stringify(typed)}.`)
}

function describe(context: CommandContext, task: Task): string {
  const { paint } = context
  const now = systemClock.now()
  const time = (at: string | null): string => (at ? exact(at, now) : '–')
  const about = fields(
    [
      ['Id', task.id],
      ['Status', `${paint(styles[task.status], task.status)}, ${task.progressPercent} % done`],
      ['Phase', `${task.phase}, ${visible(task.type)}`],
      ['Agent', visible(task.assignedTo ?? '–')],
      ['Depends on', visible(task.dependsOn.join(', ')) || '–'],
      ['Waits for', visible(task.blockedBy ?? '–')],
      ['Work session', task['sessionId'] ?? '–'],
      ['Started', time(task.startedAt)],
      ['Completed', time(task.completedAt)],
      ['Result', task.result === null || task.result === undefined ? '–' : visible(JSON.stringify(task.result))],
    ],
    paint,
  )
  const text = task.description?.split('\n').map((line) => `    ${visible(line)}`) ?? []
  return [paint('bold', visible(task.title)), about, ...text].join('\n')
}
