/**
 * A remote that is a folder of this machine (LD7). git would receive the branch under the
 * configuration of that repository, whose hooks, filters and helpers are programs. So it receives
 * it in a directory of ours that links the repository's refs and objects (SE20).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { headOf } from '../../platform/files/git-refs.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'
import { findGitFolder } from '../worktrees/find-repository.ts'
import type { Git } from '../worktrees/git.ts'
import { isTrue, type Settings } from '../worktrees/git-settings.ts'
import { privateDirectory } from '../worktrees/private-directory.ts'

export interface PathRemote {
  /** Our directory. */
  readonly address: string
  readonly options: readonly string[]
}

export async function openPathRemote(git: Git, path: string, ref: string): Promise<PathRemote> {
  const found = await findGitFolder(git, path)
  if (!found) throw new DetailError(statusNotice('noRepository', { folder: path }))
  const { own, common, settings } = found
  const head = headOf(own, common)?.ref
  const branch = ref.replace('refs/heads/', '')
  // The files there would stay as they are.
  if (head === ref && !isTrue(settings.get('core.bare')))
    throw new DetailError(statusNotice('remoteBranchInUse', { branch, folder: path }))
  const idLength = settings.get('extensions.objectformat') === 'sha256' ? 64 : 40
  const address = privateDirectory(git.folderFor(common, 'remote'), common, idLength)
  const config = {
    'receive.autogc': 'false',
    // Otherwise repositories that it borrows objects of are asked, by their configuration.
    'core.alternateRefsCommand': 'true',
    'core.logAllRefUpdates': String(existsSync(join(common, 'logs'))),
    ...sharing(settings),
  }
  const words = Object.entries(config).map(([key, value]) => `-c ${key}=${value}`)
  return { address, options: [`--receive-pack=git ${words.join(' ')} receive-pack`] }
}

/** Who else may write what is added to it. */
function sharing(settings: Settings): Record<string, string> {
  const value = settings.get('core.sharedrepository')?.toLowerCase() ?? ''
  const isSound = /^(?:true|group|all|world|everybody|0?[0-7]{3})$/.test(value)
  return isSound ? { 'core.sharedRepository': value } : {}
}
