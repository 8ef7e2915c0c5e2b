/** Reads the names of objects in a repository's files, and where objects come from. */
import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { objectId } from '../../platform/files/git-refs.ts'
import { isBelow } from '../../platform/files/path-inside.ts'
import { bytesOf } from '../../platform/files/plain-file.ts'
import { statusNotice } from '../../protocol/status-texts.ts'
import type { RepositoryFacts } from '../worktrees/find-repository.ts'
import { GitFailure } from '../worktrees/git.ts'

const maxStateBytes = 64 * 1024

/**
 * Throws where objects would be read from elsewhere: what lies in `.git` may have been written by
 * an agent before there was a commit.
 */
export function requireOwnObjects(
  { top, commonFolder: common }: RepositoryFacts,
  shown: readonly string[],
): void {
  const objects = join(common, 'objects')
  for (const path of [objects, ...alternatesOf(common)]) {
    const real = existsSync(path) ? realpathSync(path) : path
    if (real !== objects && !shown.some((each) => each === real || isBelow(each, real)))
      throw new GitFailure(-1, statusNotice('objectsElsewhere', { folder: top, place: real }))
  }
}

export function alternatesOf(common: string): string[] {
  const objects = join(common, 'objects')
  const text = bytesOf(join(objects, 'info/alternates'), maxStateBytes)?.toString() ?? ''
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line))
}

export const objectIdIn = (file: string): string | undefined => {
  const text = bytesOf(file, 100)?.toString().trim() ?? ''
  return objectId.test(text) ? text : undefined
}

/**
 * A rename replaces a link and never follows it. The same content stays: to replace it is a disk
 * write on some systems.
 */
export function replaceFile(file: string, bytes: Buffer): void {
  if (bytesOf(file, bytes.length)?.equals(bytes)) return
  const next = `${file}.holdfast`
  rmSync(next, { force: true, recursive: true })
  writeFileSync(next, bytes, { flag: 'wx', mode: 0o600 })
  renameSync(next, file)
}
