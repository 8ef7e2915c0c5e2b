/**
 * Rewinds, forks and file states are completed after a crash (FS7-FS9); old states are let go of
 * every hour (FS10).
 */
import { Refusal } from '../domain/errors.ts'
import type { FileOperations } from '../server/worktrees/file-operations.ts'
import { findOpenOperations } from '../services/flows/files/file-operations.ts'
import {
  findDisownedFiles,
  findOldFiles,
  findUnfinishedFiles,
} from '../services/turns/keep-files.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

const completedEveryMs = 1000
const forgottenEveryMs = 3_600_000
/** So that servers of short lives let go too. */
const firstForgottenAfterMs = 60_000

export const dueFileStates = (store: Store, files: FileOperations): readonly DueWork[] => [
  ...cutOffOperations(store, files),
  ...oldFileStates(store, files),
]

export const cutOffOperations = (store: Store, files: FileOperations): readonly DueWork[] => [
  {
    everyMs: completedEveryMs,
    failureText: 'rewinds and forks could not be completed',
    find: () => store.query(findOpenOperations, {}),
    run: (operation) => unlessAway(files.complete(operation)),
  },
  {
    everyMs: completedEveryMs,
    failureText: 'the files of turns could not be completed',
    find: () => store.query(findUnfinishedFiles, {}),
    run: (turn) => unlessAway(files.takeAfter(turn)),
  },
]

export const oldFileStates = (store: Store, files: FileOperations): readonly DueWork[] => [
  {
    everyMs: forgottenEveryMs,
    firstAfterMs: firstForgottenAfterMs,
    failureText: 'old file states could not be removed',
    find: () => oldInPages(store),
    run: (old) => unlessAway(files.forgetOld(old)),
  },
  {
    everyMs: forgottenEveryMs,
    firstAfterMs: firstForgottenAfterMs,
    failureText: 'file states of deleted conversations could not be removed',
    find: () => store.query(findDisownedFiles, {}),
    run: (disowned) => unlessAway(files.forgetDisowned(disowned)),
  },
]

/** A machine that is away or busy is asked again at the next look. */
const unlessAway = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })

async function* oldInPages(store: Store) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof findOldFiles.run>> = await store.query(findOldFiles, {
      after,
    })
    yield* page.due
    after = page.after
  }
}
