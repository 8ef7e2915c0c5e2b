/** `holdfast rebuild`: rebuilds the store from the files beside it, for a lost database (CK4). */
import { resolve } from 'node:path'
import { createLogger } from '../../platform/log/logger.ts'
import { visible } from '../../platform/log/visible.ts'
import { counted } from '../amounts.ts'
import { command, operand } from '../command.ts'
import { startCommand } from '../program-name.ts'
import { beginStep } from '../step.ts'

const maxReported = 20

export const rebuild = command({
  summary: 'Build the store from the files beside it, for the day it is lost',
  operands: {
    folder: operand.optional(
      'where projects/ and conversations/ lie; the data folder itself when left out',
    ),
  },
  examples: [
    ['rebuild', 'after the database was lost; the server must be stopped'],
    ['rebuild /mnt/safe/files --data ~/holdfast', 'from an export, into another data folder'],
  ],
  local: true,
  async run(context, given) {
    const { terminal } = context
    const { values } = context.config()
    const typed = given.folder
    const from = typed === undefined ? values.data : resolve(terminal.cwd, typed)
    const { rebuildStore } = await import('../../offline/rebuild-store.ts')
    const step = beginStep(terminal, `Reading files from ${from}`)
    const logger = createLogger({ level: 'silent', format: 'json' })
    const onWorkSession = (done: number): void => step.update(counted(done, 'work session'))
    const rebuilt = await rebuildStore(values, { from, logger, onWorkSession }).finally(() =>
      step.end(),
    )
    context.done(`Read ${counted(rebuilt.workSessions, 'work session')} back from ${visible(from)}`)
    context.answer({ from, ...rebuilt }, () =>
      context.fields([
        ['Tasks', String(rebuilt.tasks)],
        ['Approvals', String(rebuilt.approvals)],
        ['Approaches', String(rebuilt.approaches)],
        ['Artifacts', String(rebuilt.artifacts)],
        ['Conversations', String(rebuilt.conversations)],
      ]),
    )
    if (context.json) return
    const lines = [
      ...rebuilt.unreadable.map(({ folder, why }) => `Passed over ${folder}: ${why}`),
      ...rebuilt.notRestored.map(
        ({ workSessionId, what, detail }) =>
          `Not restored in ${workSessionId} (${what}): ${detail}`,
      ),
    ]
    for (const line of lines.slice(0, maxReported)) context.note(visible(line))
    if (lines.length > maxReported)
      context.note(`… and ${lines.length - maxReported} more; --json tells all.`)
    context.note(`Start the server with \`${startCommand(terminal.env)}\`.`)
  },
})
