/**
 * Writes files as the product does: makes the data folder and the owner's token, as a first start
 * would, then several files over and over, and reports each one it has been told is written.
 */
import { join } from 'node:path'
import { writeFileAtomic } from '../../../src/platform/files/atomic-file.ts'
import { prepareDataFolder } from '../../../src/platform/files/data-folder.ts'
import { loadOwnerToken } from '../../../src/platform/secrets/owner-token.ts'
import { dataFolder, type FilesTask } from '../power-cut/files-task.ts'
import { versionText } from '../power-cut/versions.ts'
import { perform, report } from './task.ts'

const files = ['settings.json', 'project.json', 'notes.md']

await perform(async ({ folder, versions }: FilesTask) => {
  const data = join(folder, dataFolder)
  await prepareDataFolder(data, () => undefined)
  report({ type: 'opened' })
  const token = await loadOwnerToken(data, {}).catch(() => undefined)
  if (token) report({ type: 'kept', file: 'secrets/owner-token', text: `${token}\n` })
  const writeOne = async (file: string): Promise<void> => {
    for (let version = 1; version <= versions; version++) {
      // One that fails is the caller's to know of; the next one has another try.
      const written = await writeFileAtomic(join(data, file), versionText(file, version)).then(
        () => true,
        () => false,
      )
      if (written) report({ type: 'kept', file, text: String(version) })
    }
  }
  await Promise.all(files.map(writeOne))
  report({ type: 'closed' })
})
