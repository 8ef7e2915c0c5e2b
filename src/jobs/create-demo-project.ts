/** Creates the demo project and agents of a new store (UI6). Runs at every start, so that an interrupted first start is completed. */
import { ownerId } from '../domain/access/caller.ts'
import type { Logger } from '../platform/logger.ts'
import { beginWithDemo, needsDemo } from '../services/projects/begin-with-demo.ts'
import type { Store } from '../store/store.ts'

/** `makeRepository` returns the folder of a new repository; undefined where git cannot be run. */
export async function createDemoProject(
  store: Store,
  logger: Logger,
  makeRepository: () => Promise<string | undefined>,
): Promise<void> {
  if (!(await store.query(needsDemo, {}))) return
  const path = await makeRepository()
  if (!path) logger.warn('git could not be run, so the demo project has no repository; install git to work in worktrees')
  await store.run(beginWithDemo, { path, by: ownerId })
}
