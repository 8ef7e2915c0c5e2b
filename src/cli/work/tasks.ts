/** `holdfast tasks`: the tasks of a project (TK). */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { type Task, taskStatuses } from '../../protocol/work/task.ts'
import { type CommandOption, command, defined, group, jsonOrText } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption } from '../options-everywhere.ts'
import { chooseProject, projectOption } from '../projects/choose-project.ts'
import { indented } from '../table.ts'
import type { Style } from '../terminal.ts'

type Status = Task['status']

const [many, one] = [
  '/api/projects/{projectId}/tasks',
  '/api/projects/{projectId}/tasks/{taskId}',
] as const

/** Order and style of statuses, running tasks first. */
const styles: Record<Status, Style> = {
  in_progress: 'cyan',
  blocked: 'yellow',
  pending: 'reset',
  failed: 'red',
  completed: 'green',
}
const order = Object.keys(styles)

async function listTasks(context: CommandContext): Promise<void> {
  const phase = context.wholeNumber('phase')
  const query = {
    status: context.text('status') as Status | undefined,
    workSessionId: context.text('work-session'),
  }
  const { id: projectId } = await chooseProject(context)
  await context.printList(context.client.pages(many, { params: { projectId }, query }), {
    where: (each) => phase === undefined || each.phase === phase,
    order: (a, b) => a.phase - b.phase || order.indexOf(a.status) - order.indexOf(b.status),
    empty: 'No tasks. Make one: holdfast tasks create TITLE --type TYPE',
    columns: [
      { title: 'PHASE', of: (each) => String(each.phase) },
      { title: 'STATUS', of: (each) => each.status, style: (each) => styles[each.status] },
      { title: 'ID', of: (each) => each.id, style: 'bold' },
      { title: 'DONE', of: (each) => `${each.progressPercent} %` },
      { title: 'AGENT', of: (each) => each.assignedTo ?? '–' },
      { title: 'WAITS FOR', of: (each) => each.blockedBy ?? '–' },
      { title: 'TITLE', of: (each) => each.title, shrinks: true },
    ],
  })
}

async function showTask(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const task = await context.client.get(one, { params: { projectId, taskId: context.operand(0) } })
  context.answer(task, () => describe(context, task))
}

async function create(context: CommandContext): Promise<void> {
  const phase = context.wholeNumber('phase') ?? 1
  const { id: projectId } = await chooseProject(context)
  const body = {
    title: context.operand(0),
    type: context.text('type') ?? 'task',
    phase,
    ['sessionId']: context.text('work-session') ?? (await runningWork(context.client, projectId)),
    description: context.text('description'),
    assignedTo: context.text('agent'),
    dependsOn: context.values('depends-on'),
  }
  const task = await context.client.post(many, { params: { projectId }, body })
  context.done(`Created the task ${context.paint('bold', task.id)}`)
  if (task.status === 'pending' && !context.json)
    context.note(context.hint(`Begin it with: holdfast tasks start ${visible(task.id)}`))
  context.answer(task, () => describe(context, task))
}

/** TK3: what is begun is work for its agent. */
async function start(context: CommandContext): Promise<void> {
  const body = defined({ status: 'in_progress' as const, assignedTo: context.text('agent') })
  const { id: projectId } = await chooseProject(context)
  const params = { projectId, taskId: context.operand(0) }
  const { assignedTo } = await context.client.get(one, { params })
  if ((body.assignedTo ?? assignedTo) === null)
    throw usage(`Nobody is to do ${visible(params.taskId)}.`, 'Say who does it with --agent AGENT.')
  const task = await context.client.patch(one, { params, body })
  context.done(
    `Started the task ${context.paint('bold', task.id)}: ${visible(task.assignedTo ?? '')} gets it next`,
  )
  context.answer(task, () => describe(context, task))
}

async function edit(context: CommandContext): Promise<void> {
  const result = context.text('result')
  const body = defined({
    status: context.text('status') as Status | undefined,
    progressPercent: context.wholeNumber('progress'),
    assignedTo: context.textOrNull('agent'),
    dependsOn: context.values('depends-on'),
    result: result === undefined ? undefined : jsonOrText(result),
    title: context.text('title'),
    description: context.text('description'),
  })
  if (Object.keys(body).length === 0)
    throw usage(
      'There is nothing to change.',
      '`holdfast tasks edit --help` shows what can be changed.',
    )
  const { id: projectId } = await chooseProject(context)
  const task = await context.client.patch(one, {
    params: { projectId, taskId: context.operand(0) },
    body,
  })
  context.done(`Changed the task ${context.paint('bold', task.id)}`)
  context.answer(task, () => describe(context, task))
}

/** Returns the newest running work session; without one, a new one begins when the agent takes the task. */
async function runningWork(client: Client, projectId: string): Promise<string | null> {
  for await (const each of client.pages('/api/projects/{projectId}/sessions', {
    params: { projectId },
  }))
    if (each.state === 'running') return each.id
  return null
}

const describe = (context: CommandContext, task: Task): string =>
  context.details(
    task.title,
    [
      ['Id', task.id],
      [
        'Status',
        `${context.paint(styles[task.status], task.status)}, ${task.progressPercent} % done`,
      ],
      ['Phase', `${task.phase}, ${visible(task.type)}`],
      ['Agent', visible(task.assignedTo ?? '–')],
      ['Depends on', visible(task.dependsOn.join(', ')) || '–'],
      ['Waits for', visible(task.blockedBy ?? '–')],
      ['Work session', task['sessionId'] ?? '–'],
      ['Started', context.time(task.startedAt)],
      ['Completed', context.time(task.completedAt)],
      [
        'Result',
        task.result === null || task.result === undefined
          ? '–'
          : visible(JSON.stringify(task.result)),
      ],
    ],
    ...indented(task.description),
  )

const task = { name: 'task', about: 'id of the task' }
const dependsOn: CommandOption = {
  flags: '--depends-on <task>',
  about: 'a task that must be completed before',
  many: true,
}
const description: CommandOption = { flags: '--description <text>', about: 'what is to be done' }

export const tasks = group`
  Tasks of a project, their agents and what they wait for
  $ tasks  those of the only project, by phase and status
  $ tasks create "Write the tests" --type test --agent claude  give an agent something to do
`({
  list: command(listTasks, projectOption)`
    List the tasks by phase and status (the default)
    --status <status>  only these ${taskStatuses}
    --phase <number>  only those of this phase
    --work-session <id>  only those of this work session
    ${limitOption}
    $ tasks list --project website  all of them
    $ tasks list --status blocked  what waits for something else`,
  show: command(showTask, task, projectOption)`
    Show one task
    $ tasks show task_p1_test_001  what it is, and how far it has come`,
  create: command(create)`
    Create a task; blocked while one it depends on is unfinished
    <title>  what to call it
    ${projectOption}
    --type <word>  what kind of task, part of its id (task)
    --phase <number>  phase of the work (1)
    --agent <agent>  who is to do it
    ${dependsOn} ${description}
    --work-session <id>  the work it belongs to (the newest that runs; else one that begins with its agent)
    $ tasks create "Write the tests" --type test  in phase 1
    $ tasks create "Release" --phase 2 --depends-on task_p1_test_001  after another`,
  start: command(start, task, projectOption)`
    Start a task, also again after it failed: its agent gets it next
    --agent <agent>  who is to do it
    $ tasks start task_p1_test_001 --agent codex  now, by this agent`,
  edit: command(edit, task, projectOption)`
    Change a task
    --status <status>  where it stands ${taskStatuses}
    --progress <percent>  how far it has come, 0 to 100
    --agent <agent>  who is to do it
    --no-agent  nobody is to do it
    ${dependsOn}
    --result <json>  what came out of it: JSON, or words
    --title <text>  a new title
    ${description}
    $ tasks edit task_p1_test_001 --status completed  what waited for it can begin
    $ tasks edit task_p1_test_001 --agent codex  give it to another`,
})
