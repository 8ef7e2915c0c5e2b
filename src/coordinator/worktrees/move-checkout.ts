/**
 * Moves a branch that is checked out, with its files (WT6), if everything is committed there: on a
 * copy of that checkout's index, so that nothing of it is read as configuration, and what its flags
 * hide is seen.
 */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type { MergeRefusal, MergeResult } from '../../protocol/worktrees/worktree.ts'
import { withLockedIndex } from './checkout-lock.ts'
import { filteredAmong } from './commit.ts'
import { splitNul } from './file-names.ts'
import { GitFailure } from './git.ts'
import { isWork, lstatIn, maxIndexBytes, uncommittedIn } from './look.ts'
import { operations } from './remove-worktree.ts'
import type { Repository } from './repository.ts'
import { sparseSettings } from './sparse.ts'
import { entriesOf, isPlainIndex, withoutHiding } from './staged-entries.ts'

export interface Move {
  readonly target: string
  readonly from: string
  readonly to: string
}

/** What refuses, in words. */
export type Refuse = (reason: MergeRefusal, why: Detail) => MergeResult

export async function tipOf(repository: Repository, branch: string): Promise<string | undefined> {
  const found = await repository.try([
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ])
  return found.code === 0 ? found.stdout.trim() : undefined
}

const checkoutMs = 600_000

export async function moveCheckout(
  repository: Repository,
  folder: string,
  { target, from, to }: Move,
  refuse: Refuse,
): Promise<MergeResult> {
  const checkout = await repository.checkoutAt(folder)
  if (!checkout)
    return refuse(
      'git_refused',
      statusNotice('gitCannotOpen', { folder, why: statusNotice('notCheckout') }),
    )
  const inUse = (): MergeResult =>
    refuse('target_in_use', statusNotice('branchInUse', { branch: target, folder }))
  const { gitFolder, head } = checkout.facts
  if (operations.some(([name]) => existsSync(join(gitFolder, name)))) return inUse()
  const copy = `${checkout.indexFile}.moved`
  try {
    return await withLockedIndex(gitFolder, async (index) => {
      const bytes = bytesOf(join(gitFolder, 'index'), maxIndexBytes)
      const idBytes = head.length / 2
      const entries = bytes && isPlainIndex(bytes, idBytes) ? entriesOf(bytes, idBytes) : undefined
      if (!bytes || !entries) return inUse()
      const changed = splitNul(
        await checkout.bytes(
          ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to],
          large,
        ),
      )
      const concerned = new Set(changed.map((name) => name.toString('latin1')))
      // What a person keeps to themselves by a flag stays as it is, unless it would be written
      // over.
      const untouched = new Set(
        entries.flatMap(({ name, isAssumed, isSkipped }) =>
          isAssumed || isSkipped ? [name.toString('latin1')] : [],
        ),
      )
      const dirty = (await uncommittedIn(checkout)).filter(
        (file) =>
          isWork(file) &&
          file.change !== 'untracked' &&
          (concerned.has(file.name.toString('latin1')) ||
            !untouched.has(file.name.toString('latin1'))),
      )
      if (dirty.length > 0) return inUse()
      if (head !== from || (await tipOf(repository, target)) !== from)
        return refuse('moved', statusNotice('branchMoved', { branch: target }))
      const [filtered, ...more] = await filteredAmong(checkout, changed)
      if (filtered !== undefined)
        return refuse(
          'needs_filter',
          statusNotice('needsFilter', { file: filtered, more: more.length }),
        )
      const isConcerned = (name: Buffer): boolean =>
        concerned.has(name.toString('latin1')) && lstatIn(checkout, name) !== undefined
      await writeFile(copy, withoutHiding(bytes, idBytes, isConcerned))
      const how = {
        env: { GIT_INDEX_FILE: copy },
        config: sparseSettings(checkout),
        timeoutMs: checkoutMs,
      }
      // Times may have changed alone.
      await checkout.try(['update-index', '-q', '--ignore-submodules', '--refresh'], how)
      // git refuses to overwrite files that it does not know.
      const written = await checkout.try(['read-tree', '-m', '-u', from, to], how)
      if (written.code !== 0) return refuse('git_refused', written.stderr.trim())
      const moved = await checkout.try([
        'update-ref',
        '-m',
        'holdfast: bring in',
        `refs/heads/${target}`,
        to,
        from,
      ])
      if (moved.code !== 0) {
        await checkout.run(['read-tree', '-m', '-u', to, from], how)
        return refuse(
          'moved',
          statusNotice('branchMovedBecause', { branch: target, why: moved.stderr.trim() }),
        )
      }
      await index.replaceBy(copy)
      return { outcome: 'done', commit: to }
    })
  } catch (error) {
    if (error instanceof GitFailure && error.code === -1) return refuse('git_refused', error.detail)
    throw error
  } finally {
    for (const file of [copy, `${copy}.lock`]) await rm(file, { force: true })
  }
}

const large = { maxBytes: 64 * 1024 * 1024 }
