/**
 * Moves the branch of a checkout, or its HEAD where none is checked out, if it is still where it
 * was.
 */
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { headOf } from '../../platform/files/git-refs.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import { lockFailure } from './checkout-lock.ts'
import { GitFailure } from './git.ts'
import type { Repository } from './repository.ts'

export async function moveHead(
  repository: Repository,
  from: string,
  to: string,
  reason: string,
): Promise<void> {
  const { branch, gitFolder, commonFolder } = repository.facts
  if (branch !== null) {
    await repository.run([
      'update-ref',
      '--no-deref',
      '-m',
      reason,
      `refs/heads/${branch}`,
      to,
      from,
    ])
    return
  }
  // HEAD is no ref of our git directory. Locked as git does.
  const file = join(gitFolder, 'HEAD')
  const lock = `${file}.lock`
  const handle = await open(lock, 'wx', 0o644).catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure(-1, lockFailure(lock, error))
  })
  try {
    const head = headOf(gitFolder, commonFolder)
    if (head?.ref !== null || head.commit !== from)
      throw new GitFailure(-1, statusNotice('branchMoved', { branch: 'HEAD' }))
    await handle.writeFile(`${to}\n`)
    await handle.sync()
    await rename(lock, file)
  } finally {
    await handle.close()
    await rm(lock, { force: true })
  }
}
