/** `holdfast approvals`: decisions that agents wait for (AP). */
import { allowanceMinutes, allowanceScopes } from '../../domain/approvals/allowance.ts'
import { holdSeconds } from '../../domain/approvals/lifecycle.ts'
import { epochMs } from '../../domain/instant.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Allowance, AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import { type CommandSpec, command, type Given, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound, usage } from '../failure.ts'
import { limitOption, projectOption } from '../options-everywhere.ts'
import { chooseProject, namedProject, projectNames } from '../projects/choose-project.ts'
import { indented } from '../table.ts'
import type { Style } from '../terminal.ts'
import { parseMoment } from '../times.ts'
import { ifNotThere } from '../work/find-work-session.ts'
import { callLines } from './ask-permission.ts'

const number = operand.required('number of the approval')

const answerOption = option.text(
  '<option>',
  'the answer to a question: number, name or id of its option',
)

const feedback = option.text('<text>', 'what to tell the agent')

const hold = option.text(
  '<seconds>',
  'carry it out in so many seconds (1 to 10); `approvals take-back` undoes it until then',
)

const alwaysOptions = {
  always: option.flag(
    'of a permission: do not ask for the same again; kept by Holdfast, with an end, revocable',
  ),
  for: option.text('<time>', 'with --always: 90m, 8h, 30d; 8h when left out'),
  scope: option.choice(
    '<scope>',
    allowanceScopes,
    'with --always: exactly this request (when left out), files in its folder, or this kind of tool',
  ),
  folder: option.text('<path>', 'with --scope folder: another folder than that of the file'),
}

// Allowances at the command line (AG6): granting, listing and revoking "allow always".

const allowances = '/api/projects/{projectId}/allowances'
const minuteMs = 60_000

/** Returns undefined for this once only. */
function alwaysTerms({
  always,
  for: time,
  scope,
  folder,
}: Partial<Given<typeof alwaysOptions>>): AlwaysTerms | undefined {
  if (!always) {
    if (scope ?? time ?? folder)
      throw usage('--for, --scope and --folder say what is always allowed.', 'Add --always.')
    return undefined
  }
  const now = systemClock.now()
  const until = time === undefined ? undefined : parseMoment(time, now)
  if (time !== undefined && !until)
    throw usage(`--for ${time} is not a time.`, 'Write 90m, 8h, 30d or 4w.')
  const expiresInMinutes = until
    ? Math.round((epochMs(until) - now) / minuteMs)
    : allowanceMinutes.default
  return { scope: scope ?? 'request', folder, expiresInMinutes }
}

const listAllowed = command({
  summary: 'List what agents are always allowed in a project',
  options: { project: projectOption, all: option.flag('what has ended too'), limit: limitOption },
  examples: [['approvals allowed', 'what is answered without asking, until when, and who said so']],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const query = { ended: given.all }
    await context.printList(context.client.pages(allowances, { params: { projectId }, query }), {
      empty: 'Nothing is allowed without asking.',
      columns: [
        { title: 'ID', of: (each) => each.id, style: 'bold' },
        { title: 'AGENT', of: (each) => each.agentId },
        { title: 'WHAT', of: (each) => what(each), shrinks: true },
        {
          title: 'UNTIL',
          of: (each) => (each.revokedAt ? 'revoked' : context.ago(each.expiresAt)),
        },
        { title: 'BY', of: (each) => each.createdBy, style: 'dim' },
      ],
    })
  },
})

const what = ({ scope, title, toolKind, folder }: Allowance): string =>
  ({ request: title, folder: `${toolKind} in ${folder}`, tool: `every ${toolKind}` })[scope]

const revoke = command({
  summary: 'Take back what an agent is always allowed; the next time it asks',
  operands: { id: operand.required('id of the allowance, or its beginning') },
  options: { project: projectOption },
  examples: [['approvals revoke 0196f3a2', 'ids are shown by `approvals allowed`']],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const typed = given.id
    const found: Allowance[] = []
    for await (const each of context.client.pages(allowances, { params: { projectId } }))
      if (each.id.startsWith(typed)) found.push(each)
    const [allowance] = found
    if (!allowance || found.length > 1) {
      const message = allowance
        ? `${found.length} allowances begin with ${typed}.`
        : `Nothing that is allowed begins with ${typed}.`
      throw notFound(message, '`holdfast approvals allowed` shows the ids.')
    }
    const revoked = await context.client.delete(`${allowances}/{allowanceId}`, {
      params: { projectId, allowanceId: allowance.id },
    })
    context.finished(
      revoked,
      `Taken back: ${visible(what(allowance))}. ${visible(allowance.agentId)} asks again the next time`,
    )
  },
})

type Verdict = Exclude<Status, 'pending'>

/** Lists the inbox; with --all also decided approvals of a project. */
const listApprovals = command({
  summary: 'List what waits for a decision in any project, oldest first (the default)',
  options: {
    project: projectOption,
    all: option.flag('of a project, decided ones too, newest first'),
    limit: limitOption,
  },
  examples: [
    ['approvals list', 'the inbox'],
    ['approvals list --project website --all', 'what was asked in a project, and what was decided'],
  ],
  async run(context, given) {
    const { client } = context
    const all = given.all
    const projectId =
      all || context.shared.project !== undefined ? (await chooseProject(context)).id : undefined
    const decidedToo = all && projectId !== undefined
    const nameOf = await projectNames(context)
    await context.printList(
      decidedToo
        ? client.pages('/api/projects/{projectId}/approvals', { params: { projectId } })
        : client.pages('/api/approvals'),
      {
        where: (each) => projectId === undefined || each.projectId === projectId,
        empty: all ? 'No approvals yet.' : 'Nothing waits for a decision.',
        columns: [
          { title: 'NUMBER', of: (each) => String(each.id), style: 'bold' },
          {
            title: 'STATUS',
            of: (each) => words[each.status],
            style: (each) => styles[each.status],
          },
          { title: 'WAITING FOR', of: (each) => each.checkpointType, shrinks: true },
          { title: 'ASKED BY', of: (each) => each.leaderId },
          { title: 'ASKED', of: (each) => context.ago(each.submittedAt), style: 'dim' },
          { title: 'PROJECT', of: (each) => nameOf(each.projectId), style: 'dim', shrinks: true },
          { title: 'WHAT', of: (each) => firstLine(each.instructionContent), shrinks: true },
        ],
      },
    )
  },
})

const showApproval = command({
  summary: 'Show one approval in full',
  operands: { number },
  options: { project: projectOption },
  examples: [['approvals show 7', 'what is asked, and how it was revised before']],
  async run(context, given) {
    const approval = await findApproval(context, given.number)
    context.answer(approval, () => describe(context, approval))
  },
})

interface DecisionGiven extends Partial<Given<typeof alwaysOptions>> {
  readonly number: string
  readonly feedback: string | undefined
  readonly option?: string | undefined
  readonly hold: string | undefined
}

const decideApproval =
  (status: Verdict) =>
  async (context: CommandContext, given: DecisionGiven): Promise<void> => {
    const { feedback } = given
    if (status === 'revision_requested' && !feedback?.trim())
      throw usage('A revision needs to be told what to change.', 'Add --feedback "…".')
    const always = alwaysTerms(given)
    const hold = given.hold === undefined ? undefined : secondsIn(given.hold)
    const { id, projectId, permission } = await findApproval(context, given.number)
    const optionId = chosenOption(given.option, permission)
    const approval = await context.client.post(
      '/api/projects/{projectId}/approvals/{approvalId}/decision',
      {
        params: { projectId, approvalId: String(id) },
        body: { status, feedback, always, optionId, hold },
      },
    )
    if (approval.held && approval.status === 'pending')
      return context.finished(
        approval,
        `Approval ${id} will be ${words[status]} in ${hold} s; undo: ` +
          `\`holdfast approvals take-back ${id}\``,
      )
    context.finished(
      approval,
      `Approval ${id} is ${words[status]}${always ? ', and the same from now on' : ''}`,
    )
  }

function secondsIn(typed: string): number {
  const seconds = Number(typed)
  if (Number.isInteger(seconds) && seconds >= holdSeconds.min && seconds <= holdSeconds.max)
    return seconds
  throw usage(
    `--hold ${typed} is not a time.`,
    `Write a number of seconds from ${holdSeconds.min} to ${holdSeconds.max}.`,
  )
}

const takeBack = command({
  summary: 'Take back your decision while it is held; the approval waits again',
  operands: { number },
  options: { project: projectOption },
  examples: [['approvals take-back 7', 'what was decided with --hold is not carried out']],
  async run(context, given) {
    const { id } = await findApproval(context, given.number)
    const approval = await context.client.delete('/api/approvals/{approvalId}/decision', {
      params: { approvalId: String(id) },
    })
    context.finished(approval, `Taken back. Approval ${id} waits for a decision again`)
  },
})

/** AP14: an option by its number, name or id; a question has no other answer. */
function chosenOption(
  typed: string | undefined,
  permission: Approval['permission'],
): string | undefined {
  if (typed === undefined) return undefined
  const options = permission?.options ?? []
  const found = options.find(({ optionId, name }, n) =>
    [String(n + 1), optionId, name].includes(typed),
  )
  if (found) return found.optionId
  const there = options.map(({ name }, n) => `${n + 1} ${visible(name)}`).join(' · ')
  throw usage(
    `It offers no option ${JSON.stringify(typed)}.`,
    there === '' ? 'It offers none.' : `It offers ${there}.`,
  )
}

/** Finds an approval by number, which is unique over all projects; most are in the inbox. */
async function findApproval(context: CommandContext, approvalId: string): Promise<Approval> {
  if (!/^[1-9]\d{0,14}$/.test(approvalId))
    throw usage(
      `${JSON.stringify(approvalId)} is not the number of an approval.`,
      '`holdfast approvals` shows the numbers.',
    )
  const named = await namedProject(context)
  if (named) return context.client.get(route, { params: { projectId: named.id, approvalId } })
  for await (const pending of context.client.pages('/api/approvals'))
    if (String(pending.id) === approvalId) return pending
  for await (const { id } of context.client.pages('/api/projects')) {
    const found = await context.client
      .get(route, { params: { projectId: id, approvalId } })
      .catch(ifNotThere)
    if (found) return found
  }
  throw notFound(
    `There is no approval ${approvalId}.`,
    '`holdfast approvals` lists what waits for a decision.',
  )
}

const route = '/api/projects/{projectId}/approvals/{approvalId}'

type Status = Approval['status']
const words = {
  pending: 'waiting',
  approved: 'approved',
  rejected: 'rejected',
  revision_requested: 'to be revised',
}
const styles: Record<Status, Style> = {
  pending: 'yellow',
  approved: 'green',
  rejected: 'red',
  revision_requested: 'cyan',
}

const firstLine = (text: string | null): string => text?.trim().split('\n')[0] ?? '–'

const describe = (context: CommandContext, approval: Approval): string =>
  context.details(
    `${approval.id}  ${approval.checkpointType}`,
    [
      ['Status', context.paint(styles[approval.status], words[approval.status])],
      ['Project', approval.projectId],
      ['Task', visible(approval.taskId ?? '–')],
      ['Work session', approval['sessionId'] ?? '–'],
      ['Asked by', visible(approval.leaderId)],
      ['Asked', context.time(approval.submittedAt)],
      [
        'Decided',
        context.time(approval.resolvedAt) +
          (approval.resolvedAt ? ` by ${visible(approval.decidedBy ?? '')}` : ''),
      ],
      ...(approval.held ? [['Held', heldLine(context, approval.held)] as [string, string]] : []),
      ['Feedback', visible(approval.feedback ?? '–')],
      ['Revisions', String(approval.revisionHistory.length)],
    ],
    ...indented(approval.instructionContent),
    ...(approval.permission ? callLines(approval.permission.call) : []),
    ...(approval.permission?.options ?? []).map(({ name }, n) => `  ${n + 1} ${visible(name)}`),
    ...named('Instructions for workers', approval.workerInstructions),
    ...named('Artifacts', approval.artifacts),
    ...named('Earlier submissions', approval.revisionHistory),
  )

const heldLine = (context: CommandContext, held: NonNullable<Approval['held']>): string =>
  `${words[held.status]} by ${visible(held.by)}, until ${context.time(held.until)}`

const named = (title: string, items: readonly unknown[]): string[] =>
  items.length === 0
    ? []
    : [`  ${title}`, ...items.map((item) => `    ${visible(JSON.stringify(item))}`)]

export const approvals: CommandSpec = {
  summary: 'Approvals: what agents wait for a person to decide',
  examples: [
    ['approvals', 'the inbox: what waits, oldest first'],
    ['approvals approve 7', 'say yes; the agent goes on at once'],
    ['approvals revise 7 --feedback "smaller steps, please"', 'send it back'],
  ],
  commands: {
    list: listApprovals,
    show: showApproval,
    approve: command({
      summary: 'Approve it; the first decision stands',
      operands: { number },
      options: {
        feedback,
        hold,
        option: answerOption,
        ...alwaysOptions,
        project: projectOption,
      },
      examples: [
        ['approvals approve 7', 'the agent goes on'],
        ['approvals approve 7 --option 2', 'answers a question with the second of its options'],
        [
          'approvals approve 7 --always --for 1d',
          'and is not asked for exactly this again until tomorrow',
        ],
      ],
      run: decideApproval('approved'),
    }),
    reject: command({
      summary: 'Reject it; the first decision stands',
      operands: { number },
      options: { feedback, hold, project: projectOption },
      examples: [['approvals reject 7 --feedback "not on a Friday"', 'the agent is told why']],
      run: decideApproval('rejected'),
    }),
    revise: command({
      summary: 'Send it back to be revised; it comes again when it is resubmitted',
      operands: { number },
      options: { feedback, hold, project: projectOption },
      examples: [['approvals revise 7 --feedback "smaller steps, please"', 'says what to change']],
      run: decideApproval('revision_requested'),
    }),
    'take-back': takeBack,
    allowed: listAllowed,
    revoke,
  },
}
