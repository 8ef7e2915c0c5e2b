/**
 * `holdfast export`: writes projects, work sessions, chats and conversations as files into any
 * folder (CK2, CK4, CV7).
 */
import { resolve } from 'node:path'
import { makeFolder } from '../../platform/files/make-folder.ts'
import { NotPlainFile } from '../../platform/files/plain-file.ts'
import { visible } from '../../platform/log/visible.ts'
import { counted } from '../amounts.ts'
import { command, operand, option } from '../command.ts'
import { failed, usage } from '../failure.ts'
import { beginStep } from '../step.ts'

export const exportCommand = command({
  summary: 'Write projects, work sessions and conversations as files',
  operands: { folder: operand.optional('where to; the data folder itself when left out') },
  options: { project: option.text('<id>', 'only this one, by its id') },
  examples: [
    [
      'export /mnt/safe/files',
      'readable by people and programs; docs/reference/files.md has the schemas',
    ],
    ['export', 'the files beside the database, made anew where they are behind'],
  ],
  local: true,
  async run(context, given) {
    const { terminal } = context
    const { values } = context.config()
    const typed = given.folder
    const folder = typed === undefined ? values.data : resolve(terminal.cwd, typed)
    await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
      throw usage(
        `The folder ${visible(folder)} cannot be made (${error.code}).`,
        'Name a folder that you may write to.',
      )
    })
    const { exportFiles } = await import('../../offline/export-files.ts')
    const step = beginStep(terminal, `Writing files into ${folder}`)
    const onStream = (written: number): void => step.update(counted(written, 'folder'))
    const exported = await exportFiles(values, {
      folder,
      projectId: context.shared.project,
      onStream,
    })
      .catch((error: NodeJS.ErrnoException) => {
        // Only failures about a file are explained here.
        if (error.path === undefined && !(error instanceof NotPlainFile)) throw error
        const next = 'Name a folder that you may write to; what was written there already stays.'
        throw failed(`The files cannot be written into ${folder}: ${error.message}.`, next)
      })
      .finally(() => step.end())
    context.finished(
      exported,
      `Wrote ${counted(exported.projects, 'project')} and ${counted(exported.conversations, 'conversation')} into ${visible(exported.folder)}`,
    )
  },
})
