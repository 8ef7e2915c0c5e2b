/** `holdfast diff`, `rewind` and `fork`: the files of a conversation's turns. */
import { type Client, ProblemError } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { FileChanges, RewindLoss } from '../../protocol/worktrees/file-state.ts'
import { counted } from '../amounts.ts'
import type { CommandSpec, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure } from '../failure.ts'
import { yesOption } from '../options-everywhere.ts'

const pageSize = 200
const maxNamedLosses = 8
const turn = '/api/conversations/{key}/turns/{turnId}'

const conversation = { name: 'conversation', about: 'its key, as `holdfast conversations` shows it' }
const turnOption = { flags: '--turn <turn>', about: 'its number, 1 being the oldest, or its id; the last one when left out' }

export const changesInWords = ({ files, added, removed }: FileChanges): string =>
  `${counted(files, 'file')} changed, +${added} −${removed}`

/** The turns with file states, oldest first, and the one that was asked for. */
async function chooseTurn(client: Client, given: Given): Promise<{ turns: ConversationTurn[]; chosen: ConversationTurn }> {
  const key = given.operand(0)
  const all: ConversationTurn[] = []
  for await (const each of client.pages('/api/conversations/{key}/turns', { params: { key }, query: { limit: pageSize } }))
    all.unshift(each)
  const turns = all.filter(({ before }) => before !== null)
  const wanted = given.text('turn')
  const chosen =
    wanted === undefined
      ? turns.findLast(({ rewound }) => !rewound)
      : (all.find(({ id }) => id === wanted) ?? (/^[1-9]\d*$/.test(wanted) ? all[Number(wanted) - 1] : undefined))
  if (chosen) return { turns, chosen }
  const what = wanted === undefined ? 'no turn whose files were kept' : `no turn ${visible(wanted)}`
  throw new CommandFailure('notFound', `There is ${what} in ${visible(key)}.`, 'Files are kept for turns in a git repository.')
}

const paramsOf = (given: Given, { id: turnId }: ConversationTurn) => ({ key: given.operand(0), turnId })

async function diffTurn(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { turns, chosen } = await chooseTurn(client, given)
  const path = given.text('file')
  const since = given.flag('all') ? turns[0]?.id : undefined
  const query = { ...(path !== undefined && { path }), ...(since !== undefined && { since }) }
  const diff = await client.get(`${turn}/diff`, { params: paramsOf(given, chosen), query })
  context.answer({ turnId: chosen.id, ...diff }, () =>
    diff.text === '' ? 'Nothing has changed.' : diff.text.trimEnd().split('\n').map(visible).join('\n'),
  )
  if (context.json) return
  context.note(`${changesInWords(diff.changes)}.${diff.cut ? ' The diff is cut here; --file shows one file.' : ''}`)
  for (const { path: left, why } of diff.leftOut) context.note(`Not kept (${why.replaceAll('_', ' ')}): ${visible(left)}`)
}

async function rewind(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const key = given.operand(0)
  if (given.flag('undo')) {
    const undone = await withLosses(context, 'Undo the rewind?', (confirm) =>
      client.post('/api/conversations/{key}/rewind/undo', { params: { key }, body: confirm }),
    )
    return context.finished(undone, 'The rewind is undone')
  }
  const { chosen } = await chooseTurn(client, given)
  const to = given.flag('after') ? 'after' : 'before'
  const done = await withLosses(context, `Rewind to ${to} the turn?`, (confirm) =>
    client.post(`${turn}/rewind`, { params: paramsOf(given, chosen), body: { to, ...confirm } }),
  )
  context.finished(done, `Files and conversation are as ${to} the turn; \`holdfast rewind ${visible(key)} --undo\` undoes it`)
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
    const losses = error instanceof ProblemError ? (error.problem as unknown as { losses?: Losses }).losses : undefined
    if (!losses) throw error
    const { files, count, digest } = losses
    const named = files
      .slice(0, maxNamedLosses)
      .map(({ path, why }) => `${visible(path)}${why === 'ignored' ? ' (ignored)' : ''}`)
    const more = count > named.length ? ', …' : ''
    await context.confirm(question, `Changed by others and overwritten: ${named.join(', ')}${more}. Undoing brings them back.`)
    return act({ confirm: digest })
  }
}

interface Losses {
  readonly files: readonly RewindLoss[]
  readonly count: number
  readonly digest: string
}

async function fork(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { chosen } = await chooseTurn(client, given)
  const agentId = given.text('agent')
  const body = agentId === undefined ? {} : { agentId }
  const made = await client.post(`${turn}/fork`, { params: paramsOf(given, chosen), body })
  context.finished(made, `${made.conversation} begins there, in ${visible(made.workplace)}`)
}

export const diffCommand: CommandSpec = {
  name: 'diff',
  summary: 'Print what a turn of a conversation changed in the files',
  operands: [conversation],
  options: [
    turnOption,
    { flags: '--all', about: 'everything up to that turn' },
    { flags: '--file <path>', about: 'only of this file' },
  ],
  examples: [
    ['diff web:shop.coder', 'of the last turn'],
    ['diff web:shop.coder --all', 'of all turns together'],
  ],
  run: diffTurn,
}

export const rewindCommand: CommandSpec = {
  name: 'rewind',
  summary: 'Bring files, conversation and the agent back to before a turn',
  operands: [conversation],
  options: [
    turnOption,
    { flags: '--after', about: 'to after the turn instead' },
    { flags: '--undo', about: 'undo the last rewind' },
    yesOption,
  ],
  examples: [
    ['rewind web:shop.coder', 'to before the last turn'],
    ['rewind web:shop.coder --undo', 'and forth again'],
  ],
  run: rewind,
}

export const forkCommand: CommandSpec = {
  name: 'fork',
  summary: 'Begin a new conversation from a turn, in a new worktree with the files as they were',
  operands: [conversation],
  options: [turnOption, { flags: '--agent <id>', about: 'with another agent of the project' }],
  examples: [['fork web:shop.coder --turn 3 --agent reviewer', 'from the third turn, with another agent']],
  run: fork,
}
