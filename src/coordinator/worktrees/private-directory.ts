/**
 * A git directory of ours for a checkout (SE19): its own configuration, info, HEAD and index, and
 * links to the refs and objects of the repository. Git in it reads nothing that an agent can write
 * and that could name a program, and no index but ours.
 */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf } from '../../platform/files/plain-file.ts'

/** `logs` and `worktrees` may come later. */
const linked = ['refs', 'packed-refs', 'objects', 'logs', 'worktrees', 'shallow']
const maxExcludeBytes = 1024 * 1024

export const configFor = (idLength: number): string =>
  `[core]\n\tbare = false\n\trepositoryformatversion = ${idLength === 64 ? '1\n[extensions]\n\tobjectFormat = sha256' : '0'}\n`

/**
 * Line ends and encodings count, because they run nothing and hide nothing but themselves. The
 * keyword $Id$ would hide what stands in it, and a diff that is switched off what it would show.
 */
const attributes = '* -ident !diff\n'

/**
 * Makes it if it is not there, and returns its path. `HEAD` is written last: git knows the
 * directory by it.
 */
export function privateDirectory(folder: string, common: string, idLength: number): string {
  const dir = join(folder, idLength === 64 ? 'private-sha256' : 'private')
  if (!existsSync(join(dir, 'HEAD'))) {
    mkdirSync(join(dir, 'info'), { recursive: true, mode: 0o700 })
    for (const name of linked) {
      rmSync(join(dir, name), { force: true })
      symlinkSync(join(common, name), join(dir, name))
    }
    writeFileSync(join(dir, 'config'), configFor(idLength))
    writeFileSync(join(dir, 'info', 'attributes'), attributes)
    writeFileSync(join(dir, 'HEAD'), 'ref: refs/heads/none\n')
  }
  copyExclude(common, dir)
  return dir
}

/** The ignore rules of the repository itself. */
export function copyExclude(common: string, dir: string): void {
  const to = join(dir, 'info', 'exclude')
  const theirs = bytesOf(join(common, 'info', 'exclude'), maxExcludeBytes)
  if (!theirs) rmSync(to, { force: true })
  else if (!bytesOf(to, maxExcludeBytes)?.equals(theirs)) writeFileSync(to, theirs)
}
