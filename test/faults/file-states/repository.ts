/**
 * A person's small repository with something staged, stashed, changed and ignored; and everything
 * of it, to be compared exactly.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow } from '../../support/file-states.ts'

export type Files = Record<string, string>

export class PersonsRepository {
  readonly folder: string
  readonly home: string

  constructor(folder: string, home: string) {
    this.folder = folder
    this.home = home
  }

  make(): void {
    mkdirSync(this.folder)
    this.git('init', '--quiet', '--initial-branch=main', '--template=')
    const first = { 'a.txt': 'first\n', 'lib/b.txt': 'first\n', '.gitignore': 'ignored*\n' }
    for (const [name, text] of Object.entries(first)) this.write(name, text)
    this.git('add', '.')
    this.git('commit', '--quiet', '-m', 'Begin')
    this.write('a.txt', 'stashed\n')
    this.git('stash', '--quiet')
    this.write('lib/b.txt', 'staged\n')
    this.git('add', 'lib/b.txt')
    this.write('lib/b.txt', 'changed after it was staged\n')
    this.write('ignored.txt', 'nobody else has this\n')
    this.git('branch', 'other')
  }

  git(...args: string[]): string {
    const settings = [
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      '-c',
      'maintenance.auto=false',
    ]
    const env = { PATH: process.env['PATH'], HOME: this.home, LC_ALL: 'C' }
    const options = {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 64 * 1024 * 1024,
    } as const
    return execFileSync('git', [...settings, ...args], options).trimEnd()
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  /** Everything in a checkout, ignored files too. */
  files(folder = this.folder): Files {
    return filesBelow(folder)
  }

  /**
   * What no state may touch: index, stash, branches, configuration, ignored files. The branches of
   * forks are ours.
   */
  persons(): Files {
    const hash = (name: string): string => {
      const file = join(this.folder, name)
      return existsSync(file) ? createHash('sha1').update(readFileSync(file)).digest('hex') : 'none'
    }
    const refs = this.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n')
    return {
      index: hash('.git/index'),
      config: hash('.git/config'),
      head: hash('.git/HEAD'),
      stash: hash('.git/logs/refs/stash'),
      ignored: hash('ignored.txt'),
      locks: ['index', 'HEAD', 'config', 'packed-refs']
        .filter((name) => hash(`.git/${name}.lock`) !== 'none')
        .join(),
      refs: refs.filter((line) => !/^refs\/(?:holdfast\/|heads\/holdfast\/)/.test(line)).join(', '),
    }
  }

  /** A tree as `hashOf` names files: the mode and the object. */
  tree(id: string): Files {
    const lines = this.git('ls-tree', '-r', '-z', '--full-tree', id).split('\0').filter(Boolean)
    return Object.fromEntries(
      lines.map((line) => {
        const [about = '', name = ''] = line.split('\t')
        const [mode, , object] = about.split(' ')
        return [name, `${mode === '100755' ? 'x' : '-'} ${object}`]
      }),
    )
  }

  /** The objects that the refs of the states keep. */
  kept(): ReadonlySet<string> {
    const refs = this.git('for-each-ref', '--format=%(objectname)', 'refs/holdfast/states')
      .split('\n')
      .filter(Boolean)
    return new Set(refs.flatMap((ref) => this.git('ls-tree', '--object-only', ref).split('\n')))
  }
}

/** Without ignored files. */
export const tracked = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).filter(
      ([name]) => !name.split('/').some((part) => part.startsWith('ignored')),
    ),
  )

/** Files as git names them: the mode, and the object of the bytes. */
export const hashOf = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const bytes = Buffer.from(text.slice(2), 'latin1')
      const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
      return [name, `${text.slice(0, 1)} ${id}`]
    }),
  )

export function differenceOf(wanted: Files, found: Files): string | undefined {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].filter(
    (name) => wanted[name] !== found[name],
  )
  return names.length === 0
    ? undefined
    : names
        .map(
          (name) =>
            `${name} is ${!(name in found) ? 'missing' : !(name in wanted) ? 'too much' : 'another'}`,
        )
        .join(', ')
}
