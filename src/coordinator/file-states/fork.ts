/** Writes a state into a new worktree byte for byte (FS6). The worktree's own index gets its commit, as after a checkout. */
import { existsSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileState } from './capture.ts'
import type { Workplace } from './workplace.ts'

/** Parallel checkout of git, for trees that are large enough. */
const parallel = { 'checkout.workers': '0' }

/** Repeated after a crash it writes everything again. The index of the worktree comes last and says that it is complete. */
export async function writeState(place: Workplace, { tree }: Pick<FileState, 'tree'>): Promise<void> {
  const { gitFolder, top } = place.facts
  await place.recover()
  if (existsSync(place.indexFile)) await place.dropIndex()
  await place.run(['read-tree', '--reset', '-u', tree], { config: parallel })
  place.memory.tree = tree
  const index = join(gitFolder, 'holdfast-index')
  await rm(`${index}.lock`, { force: true })
  await copyFile(place.indexFile, index)
  // Keeps what is known of the files that are as in the commit.
  await place.repository.run(['read-tree', '-m', 'HEAD'], { folder: top, env: { GIT_INDEX_FILE: index } })
  await rename(index, join(gitFolder, 'index'))
}
