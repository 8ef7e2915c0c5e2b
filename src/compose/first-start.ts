/** Makes the demo project and agents of a new store (UI6). Asked at every start, so that a first one that was cut off is finished. */
import { makeDemoRepository } from '../demo/demo-project.ts'
import { ownerId } from '../domain/access/who.ts'
import type { Logger } from '../platform/logger.ts'
import { beginWithDemo, needsDemo } from '../services/projects/begin-with-demo.ts'
import type { Store } from '../store/store.ts'

export async function firstStart(store: Store, data: string, logger: Logger): Promise<void> {
  if (!(await store.query(needsDemo, {}))) return
  const path = await makeDemoRepository(data)
  if (!path) logger.warn('git could not be run, so the demo project has no repository; install git to work in worktrees')
  await store.run(beginWithDemo, { path, by: ownerId })
}
