/** `holdfast import`: imports conversation files, ours or picoclaw's, into the running server (CV7). */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { conversationsFolder } from '../../platform/files/data-folder.ts'
import { conversationFilesIn } from '../../platform/files/saved-conversations.ts'
import { visible } from '../../platform/log/visible.ts'
import { counted } from '../amounts.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { beginStep } from '../step.ts'
import { table } from '../table.ts'
import { type Imported, importFiles } from './import-files.ts'

async function takeIn(context: CommandContext): Promise<void> {
  const { terminal } = context
  const folder = resolve(terminal.cwd, context.operand(0))
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw usage(`There is no folder ${folder}.`, 'Name the folder that holds the files; nothing was changed.')
  // A data folder or an export contains a folder of conversations.
  const below = await conversationFilesIn(conversationsFolder(folder))
  const paths = below.length > 0 ? below : await conversationFilesIn(folder)
  if (paths.length === 0) throw usage(`There are no conversation files in ${folder}.`, 'They end in .json; nothing was changed.')
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

function wordsFor({ created, grown, unchanged, messages }: Imported): string {
  const others = [
    grown > 0 && `${grown} had more to say`,
    unchanged > 0 && `${unchanged} ${unchanged === 1 ? 'was' : 'were'} there already`,
  ].filter(Boolean)
  const words = `${counted(created, 'new conversation')} and ${counted(messages, 'message')}`
  return others.length > 0 ? `${words} (${others.join(', ')})` : words
}

export const importCommand = command(takeIn)`
  Take in conversations from a folder of files, also picoclaw’s
  <folder>  with a JSON file for each conversation, or an export
  $ import ~/.picoclaw/workspace/sessions  what picoclaw has kept; run twice it adds nothing
  $ import /mnt/safe/files --json  an export; broken files are skipped, each with its reason`
