/** `holdfast diff`, `rewind` and `fork`: the files of a conversation's turns. */
import { ProblemError } from '../../client/client.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { FileChanges, RewindLoss } from '../../protocol/worktrees/file-state.ts'
import { counted } from '../amounts.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound } from '../failure.ts'
import { yesOption } from '../options-everywhere.ts'

const maxNamedLosses = 8
/** Writing all files of a large workplace. */
const timeoutMs = 600_000
const turn = '/api/conversations/{key}/turns/{turnId}'

const conversation = {
  name: 'conversation',
  about: 'its key, as `holdfast conversations` shows it',
}
const turnOption = {
  flags: '--turn <turn>',
  about: 'its number, 1 being the oldest, or its id; the last one when left out',
}

export const changesInWords = ({ files, added, removed }: FileChanges): string =>
  `${counted(files, 'file')} changed, +${added} −${removed}`

/** The turns with file states, oldest first, and the one that was asked for. */
async function chooseTurn(
  context: CommandContext,
): Promise<{ turns: ConversationTurn[]; chosen: ConversationTurn }> {
  const key = context.operand(0)
  const all: ConversationTurn[] = []
  for await (const each of context.client.pages('/api/conversations/{key}/turns', {
    params: { key },
  }))
    all.unshift(each)
  const turns = all.filter(({ before }) => before !== null)
  const wanted = context.text('turn')
  const chosen =
    wanted === undefined
      ? turns.findLast(({ rewound }) => !rewound)
      : (all.find(({ id }) => id === wanted) ??
        (/^[1-9]\d*$/.test(wanted) ? all[Number(wanted) - 1] : undefined))
  if (chosen) return { turns, chosen }
  const what = wanted === undefined ? 'no turn whose files were kept' : `no turn ${visible(wanted)}`
  throw notFound(
    `There is ${what} in ${visible(key)}.`,
    'Files are kept for turns in a git repository.',
  )
}

const paramsOf = (context: CommandContext, { id: turnId }: ConversationTurn) => ({
  key: context.operand(0),
  turnId,
})

async function diffTurn(context: CommandContext): Promise<void> {
  const { turns, chosen } = await chooseTurn(context)
  const since = context.flag('all') ? turns[0]?.id : undefined
  const query = { path: context.text('file'), since }
  const diff = await context.client.get(`${turn}/diff`, {
    params: paramsOf(context, chosen),
    query,
  })
  context.answer(
    { turnId: chosen.id, ...diff },
    () => visibleLines(diff.text.trimEnd()) || 'Nothing has changed.',
  )
  if (context.json) return
  context.note(
    `${changesInWords(diff.changes)}.${diff.cut ? ' The diff is cut here; --file shows one file.' : ''}`,
  )
  for (const { path: left, why } of diff.leftOut)
    context.note(`Not kept (${why.replaceAll('_', ' ')}): ${visible(left)}`)
}

async function rewind(context: CommandContext): Promise<void> {
  const key = context.operand(0)
  if (context.flag('undo')) {
    const undone = await withLosses(context, 'Undo the rewind?', (confirm) =>
      context.client.post('/api/conversations/{key}/rewind/undo', {
        params: { key },
        body: confirm,
        timeoutMs,
      }),
    )
    return context.finished(undone, 'The rewind is undone')
  }
  const { chosen } = await chooseTurn(context)
  const to = context.flag('after') ? 'after' : 'before'
  const done = await withLosses(context, `Rewind to ${to} the turn?`, (confirm) =>
    context.client.post(`${turn}/rewind`, {
      params: paramsOf(context, chosen),
      body: { to, ...confirm },
      timeoutMs,
    }),
  )
  const undo = context.hint(`\`holdfast rewind ${visible(key)} --undo\` undoes it`)
  context.finished(done, `Files and conversation are as ${to} the turn; ${undo}`)
}

/** Asks before what others changed is overwritten. */
async function withLosses<Answer>(
  context: CommandContext,
  question: string,
  act: (confirm: { confirm?: string }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act({})
  } catch (error) {
    const losses =
      error instanceof ProblemError
        ? (error.problem as unknown as { losses?: Losses }).losses
        : undefined
    if (!losses) throw error
    const { files, count, digest } = losses
    const inWords = ({ path, why }: RewindLoss) =>
      `${visible(path)}${why === 'ignored' ? ' (ignored)' : ''}`
    const named = files.slice(0, maxNamedLosses).map(inWords)
    const more = count > named.length ? ', …' : ''
    await context.confirm(
      question,
      `Changed by others and overwritten: ${named.join(', ')}${more}. Undoing brings them back.`,
    )
    return act({ confirm: digest })
  }
}

interface Losses {
  readonly files: readonly RewindLoss[]
  readonly count: number
  readonly digest: string
}

async function fork(context: CommandContext): Promise<void> {
  const { chosen } = await chooseTurn(context)
  const body = { agentId: context.text('agent') }
  const made = await context.client.post(`${turn}/fork`, {
    params: paramsOf(context, chosen),
    body,
    timeoutMs,
  })
  context.finished(made, `${made.conversation} begins there, in ${visible(made.workplace)}`)
}

export const diffCommand = command(diffTurn, conversation, turnOption)`
  Print what a turn of a conversation changed in the files
  --all  everything up to that turn
  --file <path>  only of this file
  $ diff web:shop.coder  of the last turn
  $ diff web:shop.coder --all  of all turns together`

export const rewindCommand = command(rewind, conversation, turnOption)`
  Bring files, conversation and the agent back to before a turn
  --after  to after the turn instead
  --undo  undo the last rewind
  ${yesOption}
  $ rewind web:shop.coder  to before the last turn
  $ rewind web:shop.coder --undo  and forth again`

export const forkCommand = command(fork, conversation, turnOption)`
  Begin a new conversation from a turn, in a new worktree with the files as they were
  --agent <id>  with another agent of the project
  $ fork web:shop.coder --turn 3 --agent reviewer  from the third turn, with another agent`
