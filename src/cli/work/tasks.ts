/** `holdfast tasks`: the tasks of a project (TK). */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { type Task, taskStatuses } from '../../protocol/work/task.ts'
import { type CommandSpec, command, defined, jsonOrText, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption, projectOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { indented } from '../table.ts'
import type { Style } from '../terminal.ts'

const task = operand.required('id of the task')

const dependsOn = option.list('<task>', 'a task that must be completed before')

const description = option.text('<text>', 'what is to be done')

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

const listTasks = command({
  summary: 'List the tasks by phase and status (the default)',
  options: {
    project: projectOption,
    status: option.choice('<status>', taskStatuses, 'only these'),
    phase: option.wholeNumber('<number>', 'only those of this phase'),
    workSession: option.text('<id>', 'only those of this work session'),
    limit: limitOption,
  },
  examples: [
    ['tasks list --project website', 'all of them'],
    ['tasks list --status blocked', 'what waits for something else'],
  ],
  async run(context, given) {
    const phase = given.phase
    const query = {
      status: given.status,
      workSessionId: given.workSession,
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
  },
})

const showTask = command({
  summary: 'Show one task',
  operands: { task },
  options: { project: projectOption },
  examples: [['tasks show task_p1_test_001', 'what it is, and how far it has come']],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const task = await context.client.get(one, { params: { projectId, taskId: given.task } })
    context.answer(task, () => describe(context, task))
  },
})

const create = command({
  summary: 'Create a task; blocked while one it depends on is unfinished',
  operands: { title: operand.required('what to call it') },
  options: {
    project: projectOption,
    type: option.text('<word>', 'what kind of task, part of its id (task)'),
    phase: option.wholeNumber('<number>', 'phase of the work (1)'),
    agent: option.text('<agent>', 'who is to do it'),
    dependsOn,
    description,
    workSession: option.text(
      '<id>',
      'the work it belongs to (the newest that runs; else one that begins with its agent)',
    ),
  },
  examples: [
    ['tasks create "Write the tests" --type test', 'in phase 1'],
    ['tasks create "Release" --phase 2 --depends-on task_p1_test_001', 'after another'],
  ],
  async run(context, given) {
    const phase = given.phase ?? 1
    const { id: projectId } = await chooseProject(context)
    const body = {
      title: given.title,
      type: given.type ?? 'task',
      phase,
      ['sessionId']: given.workSession ?? (await runningWork(context.client, projectId)),
      description: given.description,
      assignedTo: given.agent,
      dependsOn: given.dependsOn,
    }
    const task = await context.client.post(many, { params: { projectId }, body })
    context.done(`Created the task ${context.paint('bold', task.id)}`)
    if (task.status === 'pending' && !context.json)
      context.note(context.hint(`Begin it with: holdfast tasks start ${visible(task.id)}`))
    context.answer(task, () => describe(context, task))
  },
})

/** TK3: what is begun is work for its agent. */
const start = command({
  summary: 'Start a task, also again after it failed: its agent gets it next',
  operands: { task },
  options: { project: projectOption, agent: option.text('<agent>', 'who is to do it') },
  examples: [['tasks start task_p1_test_001 --agent codex', 'now, by this agent']],
  async run(context, given) {
    const body = defined({ status: 'in_progress' as const, assignedTo: given.agent })
    const { id: projectId } = await chooseProject(context)
    const params = { projectId, taskId: given.task }
    const { assignedTo } = await context.client.get(one, { params })
    if ((body.assignedTo ?? assignedTo) === null)
      throw usage(
        `Nobody is to do ${visible(params.taskId)}.`,
        'Say who does it with --agent AGENT.',
      )
    const task = await context.client.patch(one, { params, body })
    context.done(
      `Started the task ${context.paint('bold', task.id)}: ${visible(task.assignedTo ?? '')} gets it next`,
    )
    context.answer(task, () => describe(context, task))
  },
})

const edit = command({
  summary: 'Change a task',
  operands: { task },
  options: {
    project: projectOption,
    status: option.choice('<status>', taskStatuses, 'where it stands'),
    progress: option.wholeNumber('<percent>', 'how far it has come, 0 to 100'),
    agent: option.text('<agent>', 'who is to do it'),
    noAgent: option.flag('nobody is to do it'),
    dependsOn,
    result: option.text('<json>', 'what came out of it: JSON, or words'),
    title: option.text('<text>', 'a new title'),
    description,
  },
  examples: [
    ['tasks edit task_p1_test_001 --status completed', 'what waited for it can begin'],
    ['tasks edit task_p1_test_001 --agent codex', 'give it to another'],
  ],
  async run(context, given) {
    const result = given.result
    const body = defined({
      status: given.status,
      progressPercent: given.progress,
      assignedTo: given.noAgent ? null : given.agent,
      dependsOn: given.dependsOn,
      result: result === undefined ? undefined : jsonOrText(result),
      title: given.title,
      description: given.description,
    })
    if (Object.keys(body).length === 0)
      throw usage(
        'There is nothing to change.',
        '`holdfast tasks edit --help` shows what can be changed.',
      )
    const { id: projectId } = await chooseProject(context)
    const task = await context.client.patch(one, {
      params: { projectId, taskId: given.task },
      body,
    })
    context.done(`Changed the task ${context.paint('bold', task.id)}`)
    context.answer(task, () => describe(context, task))
  },
})

/**
 * Returns the newest running work session; without one, a new one begins when the agent takes the
 * task.
 */
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

export const tasks: CommandSpec = {
  summary: 'Tasks of a project, their agents and what they wait for',
  examples: [
    ['tasks', 'those of the only project, by phase and status'],
    ['tasks create "Write the tests" --type test --agent claude', 'give an agent something to do'],
  ],
  commands: { list: listTasks, show: showTask, create, start, edit },
}
