/** `holdfast work`: work sessions, their state, and which was resumed from which (WK3). */
import { visible } from '../../platform/log/visible.ts'
import type { WaitsFor, WholeWorkSession, WorkSession } from '../../protocol/work/work-session.ts'
import { counted, size } from '../amounts.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { limitOption, projectOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { indented } from '../table.ts'
import type { Style } from '../terminal.ts'
import { findWorkSession } from './find-work-session.ts'

const workSession = operand.required('id of the work session', { called: 'work' })

const one = '/api/projects/{projectId}/sessions/{workSessionId}'

/** A row of the tree of work sessions by parent (WK3). */
interface TreeRow {
  readonly workSession: WorkSession
  readonly branch: string
}

/** Sorts trees by their newest member, and children below their parent, the oldest first. Pure. */
function familyTree(workSessions: readonly WorkSession[]): TreeRow[] {
  const ids = new Set(workSessions.map(({ id }) => id))
  const isRoot = ({ parentSessionId }: WorkSession): boolean =>
    parentSessionId === null || !ids.has(parentSessionId)
  const children = Map.groupBy(
    workSessions.filter((each) => !isRoot(each)).toSorted(byAge),
    ({ parentSessionId }) => parentSessionId,
  )
  const rows: TreeRow[] = []
  const seen = new Set<string>()
  const draw = (workSession: WorkSession, branch: string, below: string): void => {
    if (seen.has(workSession.id)) return
    seen.add(workSession.id)
    rows.push({ workSession, branch })
    const ownChildren = children.get(workSession.id) ?? []
    ownChildren.forEach((child, at) => {
      const isLast = at === ownChildren.length - 1
      draw(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
    })
  }
  const newestOf = (root: WorkSession): string =>
    (children.get(root.id) ?? []).reduce(
      (newest, child) => (newestOf(child) > newest ? newestOf(child) : newest),
      root.startedAt,
    )
  const roots = workSessions.filter(isRoot).map((root) => ({ root, newest: newestOf(root) }))
  for (const { root } of roots.toSorted((a, b) => (a.newest < b.newest ? 1 : -1)))
    draw(root, '', '')
  return rows
}

const byAge = (a: WorkSession, b: WorkSession): number => (a.startedAt < b.startedAt ? -1 : 1)

const stateStyles: Record<WorkSession['state'], Style> = {
  running: 'cyan',
  interrupted: 'yellow',
  completed: 'green',
}

/** State in words, and whether the session can be resumed. */
const stateWord = ({ state, setAside, resumedBy, dismissedAt }: WorkSession): string =>
  state !== 'interrupted'
    ? state
    : setAside
      ? 'set aside'
      : resumedBy
        ? 'resumed'
        : dismissedAt
          ? 'dismissed'
          : state

const listWorkSessions = command({
  summary: 'List the work sessions as a tree (the default)',
  options: {
    project: projectOption,
    state: option.choice('<state>', ['running', 'interrupted', 'completed'], 'only these'),
    limit: limitOption,
  },
  examples: [
    ['work list --project website', 'all of them'],
    ['work list --state interrupted --json', 'what could be taken up, for a program'],
  ],
  async run(context, given) {
    const state = given.state
    const { id: projectId } = await chooseProject(context)
    await context.printList(
      context.client.pages('/api/projects/{projectId}/sessions', { params: { projectId } }),
      {
        where: (each) => state === undefined || each.state === state,
        rows: familyTree,
        empty: 'No work sessions. One begins when an agent takes a task up.',
        columns: [
          {
            title: 'WORK SESSION',
            of: ({ branch, workSession }) => `${branch}${workSession.id}`,
            style: 'bold',
          },
          {
            title: 'STATE',
            of: ({ workSession }) => stateWord(workSession),
            style: (row) => stateStyles[row.workSession.state],
          },
          { title: 'BEGAN', of: ({ workSession }) => context.ago(workSession.startedAt) },
          {
            title: 'HOW IT STANDS',
            of: ({ workSession }) => workSession.stateSummary,
            shrinks: true,
          },
        ],
      },
    )
  },
})

export const showWorkSession = command({
  summary: 'Show one: tasks, approvals, approaches, checkpoints, artifacts',
  operands: { workSession },
  options: { project: projectOption },
  examples: [['work show sess_20260115143000_x1y2z3', 'how it stands, and what it knows']],
  async run(context, given) {
    const whole = await findWorkSession(context, given.workSession)
    context.answer(whole, () => describe(context, whole))
  },
})

async function paramsOf(
  context: CommandContext,
  typed: string,
): Promise<{ projectId: string; workSessionId: string }> {
  const { id, projectId } = await findWorkSession(context, typed)
  return { projectId, workSessionId: id }
}

export const endWorkSession = command({
  summary: 'End one: completed, or interrupted with a reason',
  operands: { workSession },
  options: {
    project: projectOption,
    reason: option.text('<word>', 'why it is interrupted; left out, it is completed'),
  },
  examples: [
    ['work end sess_20260115143000_x1y2z3', 'it is done'],
    ['work end sess_20260115143000_x1y2z3 --reason lunch', 'it can be resumed later'],
  ],
  async run(context, given) {
    const params = await paramsOf(context, given.workSession)
    const ended = await context.client.post(`${one}/end`, {
      params,
      body: { reason: given.reason },
    })
    context.finished(ended, `${params.workSessionId} is ${ended.stateSummary}`)
  },
})

/** Stops reminders about a work session; it can still be resumed. */
export const dismissWorkSession = command({
  summary:
    'Take an interrupted one off the list of what was interrupted; it can be resumed all the same',
  operands: { workSession },
  options: { project: projectOption },
  examples: [['work dismiss sess_20260115143000_x1y2z3', 'nobody is reminded of it any more']],
  async run(context, given) {
    const params = await paramsOf(context, given.workSession)
    const dismissed = await context.client.post(`${one}/dismiss`, { params })
    context.finished(dismissed, `${params.workSessionId} is dismissed`)
  },
})

export const saveWorkSession = command({
  summary: 'Save the state of one now, and say where',
  operands: { workSession },
  options: {
    project: projectOption,
    summary: option.text('<text>', 'how the work stands, in your words'),
  },
  examples: [['work checkpoint sess_20260115143000_x1y2z3', 'prints the path of its file']],
  async run(context, given) {
    const body = { contextSummary: given.summary }
    const saved = await context.client.post(`${one}/checkpoint`, {
      params: await paramsOf(context, given.workSession),
      body,
    })
    context.finished(saved, `Saved in ${visible(saved.path)}`)
    if (!saved.written)
      context.note(
        'The file cannot be written just now; it is in the store, and the server goes on trying.',
      )
  },
})

function describe(context: CommandContext, whole: WholeWorkSession): string {
  const [last] = whole.checkpoints
  return context.details(
    whole.id,
    [
      ['Project', whole.projectId],
      ['State', context.paint(stateStyles[whole.state], visible(whole.stateSummary))],
      ['Began', context.time(whole.startedAt)],
      ['Ended', context.time(whole.endedAt)],
      ['Resumed from', whole.parentSessionId ?? '–'],
      ['Resumed as', whole.children.map(({ id }) => id).join(', ') || '–'],
      ['Set aside', visible(whole.setAside ?? '–')],
      ['Waits for', visible(whole.waitsFor.map(waitsForWords).join(', ') || '–')],
      ['Last error', visible(whole.error ? `${whole.error.code}: ${whole.error.message}` : '–')],
      ['Tasks', countedBy(whole.tasks, ({ status }) => status)],
      ['Approvals', whole.approvals.map(({ id, status }) => `${id} ${status}`).join(', ') || '–'],
      ['Approaches', countedBy(whole.approaches, ({ kind }) => kind)],
      [
        'Checkpoints',
        last
          ? `${counted(whole.checkpoints.length, 'checkpoint')}, the last ${context.ago(last.at)} (${last.reason})`
          : '–',
      ],
      [
        'Artifacts',
        whole.artifacts.map((each) => `${visible(each.name)} (${size(each.size)})`).join(', ') ||
          '–',
      ],
    ],
    ...indented(whole.contextSummary),
  )
}

/** `3 completed, 1 blocked` */
const countedBy = <Item>(items: readonly Item[], group: (item: Item) => string): string =>
  [...Map.groupBy(items, group)].map(([name, members]) => `${members.length} ${name}`).join(', ') ||
  '–'

const waitsForWords = (each: WaitsFor): string => {
  if (each.what === 'approval') return `approval ${each.approvalId}`
  if (each.what === 'task') return each.taskId ?? 'a task'
  return each.taskId === null ? each.agentId : `${each.agentId} (${each.taskId})`
}

export const work: CommandSpec = {
  summary: 'Work of a project in its tasks: each run of it, and which was resumed from which',
  examples: [
    ['work', 'that of the only project, as a tree'],
    ['work show sess_20260115143000_x1y2z3', 'everything about one run'],
    ['resume sess_20260115143000_x1y2z3', 'take an interrupted one up'],
  ],
  commands: {
    list: listWorkSessions,
    show: showWorkSession,
    checkpoint: saveWorkSession,
    end: endWorkSession,
    dismiss: dismissWorkSession,
  },
}
