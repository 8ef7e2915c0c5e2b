/** Implementation of the commands under `holdfast sessions`. */

import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { WaitsFor, WholeWorkSession, WorkSession } from '../../protocol/work/work-session.ts'
import { counted, size } from '../amounts.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { fields, table } from '../table.ts'
import type { Style } from '../terminal.ts'
import { exact, relative } from '../times.ts'
import { findWorkSession } from './find-work-session.ts'

/** A row of the tree of work sessions by parent (WK3). */
export interface TreeRow {
  readonly workSession: WorkSession
  /** Branch drawn before the id. */
  readonly branch: string
}

/** Sorts trees by their newest member, and children below their parent, the oldest first. Pure. */
function familyTree(workSessions: readonly WorkSession[]): TreeRow[] {
  const known = new Set(workSessions.map(({ id }) => id))
  const isRoot = ({ parentSessionId }: WorkSession): boolean => parentSessionId === null || !known.has(parentSessionId)
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
    const its = children.get(workSession.id) ?? []
    its.forEach((child, at) => {
      const isLast = at === its.length - 1
      draw(child, `${below}${isLast ? '└─ ' : '├─ '}`, `${below}${isLast ? '   ' : '│  '}`)
    })
  }
  const newestOf = (root: WorkSession): string =>
    (children.get(root.id) ?? []).reduce((newest, child) => (newestOf(child) > newest ? newestOf(child) : newest), root.startedAt)
  const roots = workSessions.filter(isRoot).map((root) => ({ root, newest: newestOf(root) }))
  for (const { root } of roots.toSorted((a, b) => (a.newest < b.newest ? 1 : -1))) draw(root, '', '')
  return rows
}

const byAge = (a: WorkSession, b: WorkSession): number => (a.startedAt < b.startedAt ? -1 : 1)

const stateStyles = {
  running: 'cyan',
  interrupted: 'yellow',
  completed: 'green',
} as const satisfies Record<WorkSession['state'], Style>

/** State in words, and whether the session can be resumed. */
const stateWord = ({ state, setAside, resumedBy, dismissedAt }: WorkSession): string =>
  state !== 'interrupted' ? state : setAside ? 'set aside' : resumedBy ? 'resumed' : dismissedAt ? 'dismissed' : state

/** Lists work sessions as a tree. */
export async function listWorkSessions(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const state = given.text('state')
  const { id: projectId } = await chooseProject(context, given)
  const all = client.pages('/api/projects/{projectId}/sessions', { params: { projectId }, query: { limit: 200 } })
  const { items, nextCursor, more } = await context.list(inState(all, state))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? 'No work sessions. One begins when an agent takes a task up.'
      : table(
          familyTree(items),
          [
            { title: 'WORK SESSION', of: ({ branch, workSession }) => `${branch}${workSession.id}`, style: 'bold' },
            {
              title: 'STATE',
              of: ({ workSession }) => stateWord(workSession),
              style: ({ workSession }) => stateStyles[workSession.state],
            },
            { title: 'BEGAN', of: ({ workSession }) => relative(workSession.startedAt, now) },
            { title: 'HOW IT STANDS', of: ({ workSession }) => workSession.stateSummary, shrinks: true },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

async function* inState(all: AsyncGenerator<WorkSession, void, undefined>, state: string | undefined) {
  for await (const each of all) if (state === undefined || each.state === state) yield each
}

export async function showWorkSession(context: CommandContext, given: Given): Promise<void> {
  const whole = await findWorkSession(await context.client(), given, given.operand(0))
  context.answer(whole, () => describe(context, whole))
}

export async function end(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, projectId } = await findWorkSession(client, given, given.operand(0))
  const reason = given.text('reason')
  const body = reason === undefined ? {} : { reason }
  const params = { projectId, workSessionId: id }
  const ended = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', { params, body })
  context.finished(ended, `${id} is ${ended.stateSummary}`)
}

/** Stops reminders about a work session; it can still be resumed. */
export async function dismiss(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, projectId } = await findWorkSession(client, given, given.operand(0))
  const params = { projectId, workSessionId: id }
  const dismissed = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/dismiss', { params })
  context.finished(dismissed, `${id} is dismissed`)
}

export async function checkpoint(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, projectId } = await findWorkSession(client, given, given.operand(0))
  const contextSummary = given.text('summary')
  const params = { projectId, workSessionId: id }
  const body = contextSummary === undefined ? {} : { contextSummary }
  const saved = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/checkpoint', { params, body })
  context.finished(saved, `Saved in ${visible(saved.path)}`)
  if (!saved.written) context.note('The file cannot be written just now; it is in the store, and the server goes on trying.')
}

function describe(context: CommandContext, whole: WholeWorkSession): string {
  const { paint } = context
  const now = systemClock.now()
  const time = (at: string | null): string => (at ? exact(at, now) : '–')
  const tasks = Map.groupBy(whole.tasks, ({ status }) => status)
  const taskWords = [...tasks].map(([status, its]) => `${its.length} ${status}`).join(', ')
  const kinds = Map.groupBy(whole.approaches, ({ kind }) => kind)
  const approachWords = [...kinds].map(([kind, its]) => `${its.length} ${kind}`).join(', ')
  const about = fields(
    [
      ['Project', whole.projectId],
      ['State', paint(stateStyles[whole.state], visible(whole.stateSummary))],
      ['Began', time(whole.startedAt)],
      ['Ended', time(whole.endedAt)],
      ['Resumed from', whole.parentSessionId ?? '–'],
      ['Resumed as', whole.children.map(({ id }) => id).join(', ') || '–'],
      ['Set aside', visible(whole.setAside ?? '–')],
      ['Waits for', visible(whole.waitsFor.map(waitsForWords).join(', ') || '–')],
      ['Last error', visible(whole.error ? `${whole.error.code}: ${whole.error.message}` : '–')],
      ['Tasks', taskWords || '–'],
      ['Approvals', whole.approvals.map(({ id, status }) => `${id} ${status}`).join(', ') || '–'],
      ['Approaches', approachWords || '–'],
      ['Checkpoints', lastOf(whole, now)],
      ['Artifacts', whole.artifacts.map((each) => `${visible(each.name)} (${size(each.size)})`).join(', ') || '–'],
    ],
    paint,
  )
  const said = whole.contextSummary?.split('\n').map((line) => `    ${visible(line)}`) ?? []
  return [paint('bold', whole.id), about, ...said].join('\n')
}

const waitsForWords = (each: WaitsFor): string => {
  if (each.what === 'approval') return `approval ${each.approvalId}`
  if (each.what === 'task') return each.taskId ?? 'a task'
  return each.taskId === null ? each.agentId : `${each.agentId} (${each.taskId})`
}

function lastOf({ checkpoints }: WholeWorkSession, now: number): string {
  const [last] = checkpoints
  return last ? `${counted(checkpoints.length, 'checkpoint')}, the last ${relative(last.at, now)} (${last.reason})` : '–'
}
