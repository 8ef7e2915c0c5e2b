/** The checks around use cases (test/support/watched-use-cases.ts) find what they are there for. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectStream } from '../../src/domain/stream-name.ts'
import { runUseCase } from '../../src/store/log/run-use-case.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import { defineUseCase, type Tx, type UseCase } from '../../src/store/store.ts'
import { manualClock } from '../support/manual-clock.ts'
import { openTestStore } from '../support/store.ts'
import { watchedUseCases } from '../support/watched-use-cases.ts'
import { countUp, createRow, selectProject } from './use-cases.ts'

const now = new Date(manualClock().now()).toISOString()

/** Runs use cases one after the other in this thread, watched. */
async function openWatched() {
  const { store, folder } = await openTestStore()
  await store.close()
  const connection = SqliteConnection.openWriter(join(folder, 'holdfast.db'))
  onTestFinished(() => connection.close())
  const reported: string[] = []
  const run = async <Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
  ): Promise<Output> => {
    const watched = watchedUseCases({ one: useCase }, (each) => reported.push(each))
    let answer: Output | undefined
    const job = { input, now }
    const watchedCase = watched[useCase.name] as UseCase<Input, Output>
    await connection.transaction(async () => {
      answer = (await runUseCase(connection, watchedCase, job)).answer
    })
    return answer as Output
  }
  return { run, reported }
}

const moveProject = async (tx: Tx, id: string): Promise<void> =>
  tx.update('projects', { id, path: '/elsewhere' })

test('[HS24] a use case that writes a row without its owner’s lock is reported', async () => {
  const { run, reported } = await openWatched()
  await run(createRow, { id: 'a' })
  const forgets = defineUseCase('forgets', {
    scope: 'server',
    on: 'nobody',
    run: (tx, { id }: { id: string }) => moveProject(tx, id),
  })
  const locks = defineUseCase('locks', {
    scope: 'server',
    on: 'nobody',
    run: async (tx, { id }: { id: string }) => {
      await moveProject(tx, id)
      tx.lock(projectStream(id))
    },
  })
  const locksAnother = defineUseCase('locks-another', {
    scope: 'server',
    on: 'nobody',
    run: async (tx, { id }: { id: string }) => {
      tx.lock(projectStream('b'))
      await moveProject(tx, id)
    },
  })
  for (const useCase of [forgets, locks, locksAnother]) await run(useCase, { id: 'a' })
  expect(reported).toEqual(['forgets writes projects', 'locks-another writes projects'])
})

test('[HS24] a use case that reads a row without its owner’s lock is reported', async () => {
  const { run, reported } = await openWatched()
  await run(createRow, { id: 'a' })
  const readers: Record<string, (tx: Tx, id: string) => Promise<unknown>> = {
    row: (tx, id) => tx.row('projects', { id }),
    rows: (tx, id) => tx.rows('projects', { id }),
    first: (tx, id) => tx.first(selectProject, { id }),
    all: (tx, id) => tx.all(selectProject, { id }),
  }
  for (const [name, read] of Object.entries(readers))
    await run(
      defineUseCase(name, {
        scope: 'server',
        on: 'nobody',
        run: (tx, { id }: { id: string }) => read(tx, id).then(() => {}),
      }),
      { id: 'a' },
    )
  expect(reported).toEqual(Object.keys(readers).map((name) => `${name} reads projects`))
})

test('[HS24] a use case that keeps something of its first run answers otherwise', async () => {
  const { run, reported } = await openWatched()
  const seen: string[] = []
  const keeps = defineUseCase('keeps', {
    scope: 'server',
    on: 'nobody',
    run: async (tx, { id }: { id: string }, context) => {
      seen.push(context.random.uuid())
      return countUp.run(tx, { id }, context)
    },
  })
  // The row is written once, by the second run, which draws what the first one drew.
  expect(await run(keeps, { id: 'a' })).toEqual({ count: 1, seq: 1 })
  expect(seen).toEqual([seen[0], seen[0]])
  expect(reported).toEqual([])
})
