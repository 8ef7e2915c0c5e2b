/** What a new store begins with: the demo project and agent (UI6). A store that has ever held anything is left as it is. */
import { makeDemoRepository } from '../agents/demo-project.ts'
import { ownerId } from '../domain/credential/who.ts'
import { home } from '../domain/stream/name.ts'
import type { Logger } from '../platform/logger.ts'
import { beginWithDemo } from '../services/begin-with-demo.ts'
import type { Store } from '../store/store.ts'

export async function firstStart(store: Store, data: string, logger: Logger): Promise<void> {
  const [position] = await store.positions([home])
  if (position?.head !== 0) return
  const path = await makeDemoRepository(data)
  if (!path) logger.warn('git could not be run, so the demo project has no repository; install git to work in worktrees')
  await store.run(beginWithDemo, { path, by: ownerId })
}
