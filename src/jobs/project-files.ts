/**
 * Mirror target of project files. Imports what people write into approaches.json (AR3), and logs why when it cannot be imported.
 */
import { ownerId } from '../domain/access/caller.ts'
import type { MirrorTarget } from '../mirror/mirror-target.ts'
import { projectFolderWith } from '../mirror/project-folder.ts'
import type { Logger } from '../platform/logger.ts'
import { importApproaches } from '../services/work/import-approaches.ts'
import type { Store } from '../store/store.ts'

export const projectFiles = (store: Store, logger: Pick<Logger, 'info' | 'warn'>): MirrorTarget =>
  projectFolderWith(async ({ added, problem, ...place }) => {
    await store.run(importApproaches, { ...place, added, problem, by: ownerId })
    if (problem !== null) logger.warn({ ...place, problem }, 'a changed approaches.json was not taken in')
    if (added.length > 0) logger.info({ ...place, approaches: added.length }, 'approaches were taken in from their file')
  })
