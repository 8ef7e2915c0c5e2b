/**
 * `holdfast restore`: replaces the database by a backup, after showing what would be lost (RE10).
 */
import { resolve } from 'node:path'
import type { Contents, RestoredStore, Target } from '../../offline/backup-and-restore.ts'
import { isAlive, readRunFile } from '../../platform/files/run-file.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { ConfigValues } from '../../protocol/config.ts'
import { counted } from '../amounts.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { failed, usage } from '../failure.ts'
import { yesOption } from '../options-everywhere.ts'
import { programName, startCommand } from '../program-name.ts'
import { beginStep } from '../step.ts'
import { relative } from '../times.ts'

/** SE12: lists agents whose sealing key is missing, because backups do not contain it. */
function warnAboutMissingKeys(
  context: CommandContext,
  { agentsWithoutKeys: agents, sealingKeyFile }: RestoredStore,
): void {
  if (agents.length === 0) return
  const list = agents.map(({ id, variables }) => `${id} (${variables.join(', ')})`).join(', ')
  const holdfast = programName(context.terminal.env)
  const commands = agents.map(
    ({ id, variables }) => `\`${holdfast} agents edit ${id} --env ${variables.join(' --env ')}\``,
  )
  context.note(
    `The key that these agents’ variables are sealed with is not here, so they cannot be started: ${visible(list)}.`,
  )
  context.note(
    `Put it in ${visible(sealingKeyFile)} before you start, or give the variables again: ${visible(commands.join(', '))}.`,
  )
}

/**
 * Early check before questions are asked; the folder's lock is what really prevents concurrent use.
 */
async function requireUnused({ data, database_url: url }: ConfigValues): Promise<void> {
  const server = url ? undefined : await readRunFile(data)
  if (!server || !isAlive(server)) return
  const next = 'Stop it first, or restore into another folder with --data DIR.'
  throw failed(`A server (pid ${server.pid}) is using the data folder ${data}.`, next)
}

const holds = ({ events, projects }: Contents): string =>
  `${counted(events, 'event')}, ${counted(projects, 'project')}`

function lossOf({ contents }: Target, replace: boolean): string {
  if (contents === null) return 'Nothing is lost: only an empty place is restored into.'
  const there =
    contents === 'unreadable'
      ? 'A database that cannot be read is there.'
      : `What is there now: ${holds(contents)}${contents.lastEventAt ? `, the last from ${relative(contents.lastEventAt, systemClock.now())}` : ''}.`
  return replace
    ? `${there} It will be LOST: nothing of it is kept.`
    : `${there} It is kept beside, under a name with the date.`
}

export const restore = command({
  summary: 'Put a backup in the place of what is there; the server must be stopped',
  operands: {
    file: operand.required('a file that `holdfast backup` made, of either kind of database'),
  },
  options: {
    replace: option.flag(
      'do not keep the database that is there; otherwise it stays beside, with the date in its name',
    ),
    yes: yesOption,
  },
  examples: [
    ['restore monday.backup', 'into the data folder; asks first, and says what is there now'],
    [
      'restore monday.backup --data /srv/holdfast --yes',
      'into another folder, without being asked',
    ],
    [
      'restore monday.backup --config postgres.json',
      'into the empty PostgreSQL that the configuration or DATABASE_URL names',
    ],
  ],
  local: true,
  async run(context, given) {
    const { terminal } = context
    const { values } = context.config()
    const replace = given.replace
    if (replace && values.database_url)
      throw usage(
        '--replace is for a data folder.',
        'A PostgreSQL database must be empty: create a new one and name it in DATABASE_URL.',
      )
    await requireUnused(values)
    const { inspectBackup, inspectTarget, restoreFrom } = await import(
      '../../offline/backup-and-restore.ts'
    )
    const backup = await inspectBackup(resolve(terminal.cwd, given.file))
    const target = await inspectTarget(values)
    const loss = lossOf(target, replace)
    // Printed with --yes too.
    if (context.shared.yes && target.contents) context.note(loss)
    await context.confirm(
      `Restore ${visible(backup.file)} (${holds(backup)}) into ${visible(target.place)}?`,
      loss,
    )
    const step = beginStep(terminal, 'Checking the backup and putting it in its place')
    const warn = (message: string): void => context.note(message)
    const restored = await restoreFrom(backup.file, values, { replace, warn }).finally(() =>
      step.end(),
    )
    context.done(`Restored into ${visible(restored.place)}, and checked`)
    // Notes for people are fields of the JSON answer.
    const beside = { before: target.contents, filesMayHoldMore: target.hasFiles }
    context.answer({ ...restored, from: backup.file, ...beside }, () =>
      context.fields([
        ['Holds', holds(restored)],
        ['Backed up', context.time(restored.backedUpAt)],
        ['Incarnation', `${restored.incarnation} (new: whoever was following gets a snapshot)`],
        [
          'Before',
          restored.keptAt
            ? `kept as ${visible(restored.keptAt)}`
            : target.contents
              ? 'not kept'
              : 'nothing was there',
        ],
      ]),
    )
    warnAboutMissingKeys(context, restored)
    if (target.hasFiles)
      context.note(
        `The files in ${visible(values.data)} may hold what was said after this backup, and the next start writes them anew. To keep it, run \`${programName(terminal.env)} rebuild\` first.`,
      )
    if (!context.json) context.note(`Start the server with \`${startCommand(terminal.env)}\`.`)
  },
})
