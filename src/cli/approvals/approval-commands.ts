/** Implementation of the commands under `holdfast approvals`. */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, usage } from '../failure.ts'
import { chooseProject, namedProject } from '../projects/choose-project.ts'
import { projectNames } from '../projects/project-names.ts'
import { fields, table } from '../table.ts'
import type { Style } from '../terminal.ts'
import { exact, relative } from '../times.ts'
import { alwaysTerms } from './allowance-commands.ts'
import { callLines } from './ask-permission.ts'

const pageSize = { query: { limit: 200 } }

type Verdict = Exclude<Approval['status'], 'pending'>

/** Lists the inbox; with --all also decided approvals of a project. */
export async function listApprovals(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { items, nextCursor, more } = await context.list(await source(context, client, given))
  const nameOf = await projectNames(context, client)
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () => {
    if (items.length === 0) return given.flag('all') ? 'No approvals yet.' : 'Nothing waits for a decision.'
    return table(
      items,
      [
        { title: 'NUMBER', of: (each) => String(each.id), style: 'bold' },
        { title: 'STATUS', of: (each) => words[each.status], style: (each) => styles[each.status] },
        { title: 'WAITING FOR', of: (each) => each.checkpointType, shrinks: true },
        { title: 'ASKED BY', of: (each) => each.leaderId },
        { title: 'ASKED', of: (each) => relative(each.submittedAt, now), style: 'dim' },
        { title: 'PROJECT', of: (each) => nameOf(each.projectId), style: 'dim', shrinks: true },
        { title: 'WHAT', of: (each) => firstLine(each.instructionContent), shrinks: true },
      ],
      context.paint,
      context.width,
    )
  })
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

async function source(context: CommandContext, client: Client, given: Given): Promise<AsyncGenerator<Approval, void, undefined>> {
  if (!given.flag('all') && given.text('project') === undefined) return client.pages('/api/approvals', pageSize)
  const { id } = await chooseProject(context, given)
  if (given.flag('all')) return client.pages('/api/projects/{projectId}/approvals', { params: { projectId: id }, ...pageSize })
  return only(client.pages('/api/approvals', pageSize), (each) => each.projectId === id)
}

async function* only(all: AsyncGenerator<Approval, void, undefined>, wanted: (each: Approval) => boolean) {
  for await (const each of all) if (wanted(each)) yield each
}

export async function showApproval(context: CommandContext, given: Given): Promise<void> {
  const approval = await findApproval(await context.client(), given)
  context.answer(approval, () => describe(context, approval))
}

export const decideApproval =
  (status: Verdict) =>
  async (context: CommandContext, given: Given): Promise<void> => {
    const feedback = given.text('feedback')
    if (status === 'revision_requested' && !feedback?.trim())
      throw usage('A revision needs to be told what to change.', 'Add --feedback "…".')
    const always = alwaysTerms(given)
    const client = await context.client()
    const { id, projectId } = await findApproval(client, given)
    const approval = await client.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params: { projectId, approvalId: String(id) },
      body: { status, ...(feedback === undefined ? {} : { feedback }), ...(always && { always }) },
    })
    context.finished(approval, `Approval ${id} is ${words[status]}${always ? ', and the same from now on' : ''}`)
  }

/** Finds an approval by number, which is unique over all projects; most are in the inbox. */
async function findApproval(client: Client, given: Given): Promise<Approval> {
  const approvalId = given.operand(0)
  if (!/^[1-9]\d{0,14}$/.test(approvalId))
    throw usage(`${JSON.stringify(approvalId)} is not the number of an approval.`, '`holdfast approvals` shows the numbers.')
  const named = await namedProject(client, given)
  if (named) return client.get(route, { params: { projectId: named.id, approvalId } })
  for await (const pending of client.pages('/api/approvals', pageSize)) if (String(pending.id) === approvalId) return pending
  for await (const { id } of client.pages('/api/projects', pageSize)) {
    const found = await client.get(route, { params: { projectId: id, approvalId } }).catch(nothingThere)
    if (found) return found
  }
  throw new CommandFailure(
    'notFound',
    `There is no approval ${approvalId}.`,
    '`holdfast approvals` lists what waits for a decision.',
  )
}

const route = '/api/projects/{projectId}/approvals/{approvalId}'

function nothingThere(error: unknown): undefined {
  if (error instanceof ProblemError && error.problem.status === 404) return undefined
  throw error
}

const words = {
  pending: 'waiting',
  approved: 'approved',
  rejected: 'rejected',
  revision_requested: 'to be revised',
} as const satisfies Record<Approval['status'], string>

const styles = { pending: 'yellow', approved: 'green', rejected: 'red', revision_requested: 'cyan' } as const satisfies Record<
  Approval['status'],
  Style
>

const firstLine = (text: string | null): string => text?.trim().split('\n')[0] ?? '–'

function describe(context: CommandContext, approval: Approval): string {
  const { paint } = context
  const now = systemClock.now()
  const about = fields(
    [
      ['Status', paint(styles[approval.status], words[approval.status])],
      ['Project', approval.projectId],
      ['Task', visible(approval.taskId ?? '–')],
      ['Work session', approval['sessionId'] ?? '–'],
      ['Asked by', visible(approval.leaderId)],
      ['Asked', exact(approval.submittedAt, now)],
      ['Decided', approval.resolvedAt ? `${exact(approval.resolvedAt, now)} by ${visible(approval.decidedBy ?? '')}` : '–'],
      ['Feedback', visible(approval.feedback ?? '–')],
      ['Revisions', String(approval.revisionHistory.length)],
    ],
    paint,
  )
  const text = approval.instructionContent?.split('\n').map((line) => `    ${visible(line)}`) ?? []
  const more = [
    ...named('Instructions for workers', approval.workerInstructions),
    ...named('Artifacts', approval.artifacts),
    ...named('Earlier submissions', approval.revisionHistory),
  ]
  return [
    paint('bold', `${approval.id}  ${visible(approval.checkpointType)}`),
    about,
    ...text,
    ...(approval.permission ? callLines(approval.permission.call) : []),
    ...more,
  ].join('\n')
}

const named = (title: string, items: readonly unknown[]): string[] =>
  items.length === 0 ? [] : [`  ${title}`, ...items.map((item) => `    ${visible(JSON.stringify(item))}`)]
