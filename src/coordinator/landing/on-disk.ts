/**
 * Brings to disk what a step of a landing needs and what it has made (LD2): objects of an agent's
 * own git, too, and files of a checkout, which no git of ours has synced. Without it a power cut
 * could leave a branch at a commit that is not there.
 */
import { execFile } from 'node:child_process'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import type { Git } from '../worktrees/git.ts'

const syncMs = 120_000

export async function onDisk(git: Git, folders: readonly string[]): Promise<void> {
  const env = { PATH: git.variable('PATH') }
  const ended = (args: readonly string[]) =>
    new Promise<string | undefined>((resolve) => {
      execFile('sync', args, { env, timeout: syncMs }, (error) =>
        resolve(error ? String(error.code ?? error.message) : undefined),
      )
    })
  // That of some systems knows no folders, and takes all disks.
  const first = await ended(['-f', ...folders])
  if (first === undefined || first === 'ENOENT') return
  const why = await ended([])
  if (why !== undefined)
    throw new DetailError(statusNotice('notOnDisk', { folder: folders[0] ?? '', why }))
}
