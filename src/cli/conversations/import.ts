/**
 * `holdfast import`: imports conversation files, ours or picoclaw's, into the running server (CV7);
 * with `--from`, the sessions that agents keep in files of their own (IM1).
 */

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { pastAgents } from '../../past-sessions/port.ts'
import { conversationsFolder } from '../../platform/files/data-folder.ts'
import {
  conversationFilesIn,
  readSavedConversation,
} from '../../platform/files/saved-conversations.ts'
import { visible } from '../../platform/log/visible.ts'
import type { ReadConversation } from '../../protocol/conversations/conversation-file.ts'
import { piecesOf } from '../../protocol/conversations/import.ts'
import { counted } from '../amounts.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { beginStep } from '../step.ts'
import { table } from '../table.ts'
import { importSessions, listSessions } from './import-sessions.ts'

// Sends the conversation files of a folder to the server, several at a time, each piece by piece
// (CV7).

const filesAtOnce = 8

interface Imported {
  created: number
  grown: number
  unchanged: number
  messages: number
  readonly skipped: { readonly file: string; readonly why: string }[]
}

async function importFiles(
  client: Client,
  paths: readonly string[],
  onFile: (done: number) => void,
): Promise<Imported> {
  const sum: Imported = { created: 0, grown: 0, unchanged: 0, messages: 0, skipped: [] }
  const next = paths.values()
  let done = 0
  const importRest = async (): Promise<void> => {
    for (const path of next) {
      const saved = await readSavedConversation(path)
      const why = 'why' in saved ? saved.why : await bring(client, saved.conversation, sum)
      if (why !== undefined) sum.skipped.push({ file: saved.file, why })
      onFile(++done)
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, importRest))
  sum.skipped.sort((a, b) => (a.file < b.file ? -1 : 1))
  return sum
}

/** Returns why the file is refused, if it is. Other failures end the import. */
async function bring(
  client: Client,
  conversation: ReadConversation,
  sum: Imported,
): Promise<string | undefined> {
  const params = { key: conversation.key }
  let after: number | undefined
  let created = false
  let added = 0
  try {
    for (const piece of piecesOf(conversation)) {
      const body = after === undefined ? piece : { ...piece, after }
      const answer = await client.post('/api/conversations/{key}/import', { params, body })
      after = answer.after
      created ||= answer.created
      added += answer.added
    }
  } catch (error) {
    if (error instanceof ProblemError && aboutTheFile.has(error.problem.code))
      return error.problem.detail
    throw error
  }
  sum[created ? 'created' : added > 0 ? 'grown' : 'unchanged']++
  sum.messages += added
  return undefined
}

const aboutTheFile: ReadonlySet<string> = new Set(['invalid_key', 'invalid_request', 'too_large'])

function wordsFor({ created, grown, unchanged, messages }: Imported): string {
  const others = [
    grown > 0 && `${grown} had more to say`,
    unchanged > 0 && `${unchanged} ${unchanged === 1 ? 'was' : 'were'} there already`,
  ].filter(Boolean)
  const words = `${counted(created, 'new conversation')} and ${counted(messages, 'message')}`
  return others.length > 0 ? `${words} (${others.join(', ')})` : words
}

export const importCommand = command({
  summary: 'Take in conversations from files, or the sessions that agents keep in their own',
  operands: {
    files: operand.optional('with a JSON file for each conversation, or an export', {
      called: 'folder',
    }),
  },
  options: {
    from: option.choice('<agent>', [...pastAgents, 'all'], 'sessions of this agent, by its files'),
    list: option.flag('only list the sessions that are there'),
    session: option.list('<id>', 'only the session with this id; may be given several times'),
    folder: option.text('<folder>', 'only sessions that ran in this folder or below'),
    since: option.text('<time>', 'only sessions that changed since: 30d, 12h, 2026-03-01'),
  },
  examples: [
    ['import ~/.picoclaw/workspace/sessions', 'what picoclaw has kept; run twice it adds nothing'],
    ['import /mnt/safe/files --json', 'an export; broken files are skipped, each with its reason'],
    ['import --from claude --list --since 30d', 'the sessions of Claude Code of the last month'],
    ['import --from all', 'all sessions of all agents; run again it adds what is new'],
  ],
  async run(context, given) {
    const { from } = given
    if (from === undefined) return await importFolder(context, given.files)
    const wanted = { ...given, from }
    await (given.list ? listSessions(context, wanted) : importSessions(context, wanted))
  },
})

async function importFolder(context: CommandContext, given: string | undefined): Promise<void> {
  if (given === undefined)
    throw usage(
      'Name a folder with files, or an agent with --from.',
      `--from takes ${pastAgents.join(', ')} or all.`,
    )
  const { terminal } = context
  const folder = resolve(terminal.cwd, given)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw usage(
      `There is no folder ${folder}.`,
      'Name the folder that holds the files; nothing was changed.',
    )
  // A data folder or an export contains a folder of conversations.
  const below = await conversationFilesIn(conversationsFolder(folder))
  const paths = below.length > 0 ? below : await conversationFilesIn(folder)
  if (paths.length === 0)
    throw usage(
      `There are no conversation files in ${folder}.`,
      'They end in .json; nothing was changed.',
    )
  const step = beginStep(terminal, `Reading ${counted(paths.length, 'file')} from ${folder}`)
  const onFile = (done: number): void => step.update(`${done} of ${paths.length}`)
  const imported = await importFiles(context.client, paths, onFile).finally(() => step.end())
  context.done(`Took in ${wordsFor(imported)} from ${visible(folder)}`)
  if (context.json) return context.answer({ folder, files: paths.length, ...imported }, () => '')
  if (imported.skipped.length === 0) return
  const columns = [
    { title: 'SKIPPED', of: ({ file }: Imported['skipped'][number]) => file },
    { title: 'WHY', of: ({ why }: Imported['skipped'][number]) => why, shrinks: true as const },
  ]
  context.note(table(imported.skipped, columns, (_, text) => text))
  context.note(
    `${counted(imported.skipped.length, 'file')} skipped; mend them and run the same again: what is in stays as it is.`,
  )
}
