/**
 * `holdfast migrate --to postgres://…`: moves the database of a data folder to PostgreSQL. The
 * server must be stopped.
 */
import type { MigrationStep } from '../../offline/migrate-to-postgres.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { counted } from '../amounts.ts'
import { command, option } from '../command.ts'
import { usage } from '../failure.ts'
import { beginStep } from '../step.ts'

const stepWords: Readonly<Record<MigrationStep, string>> = {
  copying: 'Copying everything into PostgreSQL',
  comparing: 'Comparing both, row by row',
}

export const migrate = command({
  summary: 'Move from the data folder’s SQLite to a PostgreSQL; the server must be stopped',
  options: {
    to: option.text(
      '<url>',
      'an empty database, postgres://user@host:5432/name; leave the password to PGPASSWORD',
    ),
  },
  examples: [
    [
      'migrate --to postgres://holdfast@db.example.com/holdfast',
      'everything, compared row by row; the old database stays',
    ],
    [
      'migrate --to postgres:///holdfast?host=/run/postgresql --json',
      'through a socket, for a program',
    ],
  ],
  local: true,
  async run(context, given) {
    const { terminal } = context
    const { values } = context.config()
    const to = given.to
    if (!to)
      throw usage(
        'Name the PostgreSQL to move to with --to postgres://….',
        'It must be an empty database.',
      )
    if (values.database_url)
      throw usage(
        'This Holdfast is on PostgreSQL already: DATABASE_URL is set.',
        'Unset it to move a data folder; `holdfast backup` and `holdfast restore` move from one PostgreSQL to another.',
      )
    const { moveStore } = await import('../../offline/migrate-to-postgres.ts')
    const startedAt = systemClock.now()
    let shown: ReturnType<typeof beginStep> | undefined
    const onStep = (step: MigrationStep): void => {
      shown?.end()
      shown = beginStep(terminal, stepWords[step])
    }
    const moved = await moveStore(values, to, onStep).finally(() => shown?.end())
    context.done(`Moved to ${visible(moved.place)}`)
    context.answer({ ...moved, from: values.data, tookMs: systemClock.now() - startedAt }, () =>
      context.fields([
        ['Holds', `${counted(moved.events, 'event')}, ${counted(moved.projects, 'project')}`],
        ['Compared', `${counted(moved.rows, 'row')}, every one the same`],
        ['Took', `${((systemClock.now() - startedAt) / 1000).toFixed(1)} s`],
      ]),
    )
    if (!context.json) {
      context.note(
        'Set DATABASE_URL to that database and start as before, with the same data folder: the owner’s token stays in it.',
      )
      context.note(
        `The old database is still in ${visible(values.data)}. Delete it when you are sure; a start without DATABASE_URL is refused, and says the way back.`,
      )
    }
  },
})
