/** `holdfast backup`: writes all data of the server to one file, also while it runs (RE10). */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { instant } from '../../domain/instant.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { counted, size } from '../amounts.ts'
import { command, operand } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { beginStep } from '../step.ts'

async function fileFor(
  { terminal: { cwd } }: CommandContext,
  typed: string | undefined,
): Promise<string> {
  const path = resolve(cwd, typed ?? '.')
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory())
    return join(
      path,
      `holdfast-${instant(systemClock.now()).slice(0, 19).replaceAll(':', '-')}.backup`,
    )
  if (!existsSync(dirname(path)))
    throw usage(`There is no folder ${dirname(path)}.`, 'Make it, or name another file.')
  return path
}

export const backup = command({
  summary: 'Back up everything into one file, also while the server runs',
  operands: {
    file: operand.optional(
      'a new file, or the folder to make one in (the working directory); never written over',
    ),
  },
  examples: [
    ['backup', 'into a file with the date in its name, here'],
    ['backup /mnt/safe/monday.backup', 'into this file'],
    ['backup --data ~/holdfast --json', 'of another data folder, for a program'],
  ],
  local: true,
  async run(context, given) {
    const { values } = context.config()
    const file = await fileFor(context, given.file)
    const { backUp } = await import('../../offline/backup-and-restore.ts')
    const { sealingKeyFile } = await import('../../platform/secrets/sealing-key.ts')
    const step = beginStep(
      context.terminal,
      `Copying and checking what is in ${values.database_url ? 'PostgreSQL' : values.data}`,
    )
    const startedAt = systemClock.now()
    const backup = await backUp(values, file).finally(() => step.end())
    const tookMs = systemClock.now() - startedAt
    context.done('Backed up, and checked')
    const keyFile = sealingKeyFile(values)
    context.answer({ ...backup, verified: true, tookMs, sealingKeyFile: keyFile }, () =>
      context.fields([
        ['File', visible(backup.file)],
        ['Size', size(backup.bytes)],
        ['Holds', `${counted(backup.events, 'event')}, ${counted(backup.projects, 'project')}`],
        ['Took', `${(tookMs / 1000).toFixed(1)} s`],
      ]),
    )
    if (!context.json)
      context.note(
        `It holds what the server keeps, chats included: look after it as you look after the data folder. The key that agents’ keys are sealed with is not in it: keep ${visible(keyFile)} too, elsewhere.`,
      )
  },
})
