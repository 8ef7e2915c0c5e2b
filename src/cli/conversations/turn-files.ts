/** `holdfast diff`, `rewind` and `fork`: the files of a conversation's turns. */
import { ProblemError } from '../../client/client.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { FileChanges, RewindLoss } from '../../protocol/worktrees/file-state.ts'
import { counted } from '../amounts.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound } from '../failure.ts'
import { yesOption } from '../options-everywhere.ts'

const conversation = operand.required('its key, as `holdfast conversations` shows it')

const turnOption = option.text(
  '<turn>',
  'its number, 1 being the oldest, or its id; the last one when left out',
)

const maxNamedLosses = 8
/** Writing all files of a large workplace. */
const timeoutMs = 600_000
const turn = '/api/conversations/{key}/turns/{turnId}'

export const changesInWords = ({ files, added, removed }: FileChanges): string =>
  `${counted(files, 'file')} changed, +${added} −${removed}`

/** The turns with file states, oldest first, and the one that was asked for. */
async function chooseTurn(
  context: CommandContext,
  { conversation: key, turn: wanted }: { conversation: string; turn: string | undefined },
): Promise<{ turns: ConversationTurn[]; chosen: ConversationTurn }> {
  const all: ConversationTurn[] = []
  for await (const each of context.client.pages('/api/conversations/{key}/turns', {
    params: { key },
  }))
    all.unshift(each)
  const turns = all.filter(({ before }) => before !== null)
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

const paramsOf = (key: string, { id: turnId }: ConversationTurn) => ({ key, turnId })

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

export const diffCommand = command({
  summary: 'Print what a turn of a conversation changed in the files',
  operands: { conversation },
  options: {
    turn: turnOption,
    all: option.flag('everything up to that turn'),
    file: option.text('<path>', 'only of this file'),
  },
  examples: [
    ['diff web:shop.coder', 'of the last turn'],
    ['diff web:shop.coder --all', 'of all turns together'],
  ],
  async run(context, given) {
    const { turns, chosen } = await chooseTurn(context, given)
    const since = given.all ? turns[0]?.id : undefined
    const query = { path: given.file, since }
    const diff = await context.client.get(`${turn}/diff`, {
      params: paramsOf(given.conversation, chosen),
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
  },
})

export const rewindCommand = command({
  summary: 'Bring files, conversation and the agent back to before a turn',
  operands: { conversation },
  options: {
    turn: turnOption,
    after: option.flag('to after the turn instead'),
    undo: option.flag('undo the last rewind'),
    yes: yesOption,
  },
  examples: [
    ['rewind web:shop.coder', 'to before the last turn'],
    ['rewind web:shop.coder --undo', 'and forth again'],
  ],
  async run(context, given) {
    const key = given.conversation
    if (given.undo) {
      const undone = await withLosses(context, 'Undo the rewind?', (confirm) =>
        context.client.post('/api/conversations/{key}/rewind/undo', {
          params: { key },
          body: confirm,
          timeoutMs,
        }),
      )
      return context.finished(undone, 'The rewind is undone')
    }
    const { chosen } = await chooseTurn(context, given)
    const to = given.after ? 'after' : 'before'
    const done = await withLosses(context, `Rewind to ${to} the turn?`, (confirm) =>
      context.client.post(`${turn}/rewind`, {
        params: paramsOf(given.conversation, chosen),
        body: { to, ...confirm },
        timeoutMs,
      }),
    )
    const undo = context.hint(`\`holdfast rewind ${visible(key)} --undo\` undoes it`)
    context.finished(done, `Files and conversation are as ${to} the turn; ${undo}`)
  },
})

export const forkCommand = command({
  summary: 'Begin a new conversation from a turn, in a new worktree with the files as they were',
  operands: { conversation },
  options: { turn: turnOption, agent: option.text('<id>', 'with another agent of the project') },
  examples: [
    ['fork web:shop.coder --turn 3 --agent reviewer', 'from the third turn, with another agent'],
  ],
  async run(context, given) {
    const { chosen } = await chooseTurn(context, given)
    const body = { agentId: given.agent }
    const made = await context.client.post(`${turn}/fork`, {
      params: paramsOf(given.conversation, chosen),
      body,
      timeoutMs,
    })
    context.finished(made, `${made.conversation} begins there, in ${visible(made.workplace)}`)
  },
})
