/**
 * Traps that lie where git would go by itself: the remote of a partial clone, and the repositories
 * of submodules.
 */
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from './git-config-traps.ts'
import { at, makeRepository, type TestRepository } from './git-repository.ts'
import type { Scene, Trap } from './git-traps.ts'

/** The repository lacks a file of its last commit, and names where that is to be fetched from. */
function promisor(
  name: string,
  remote: Readonly<Record<string, string>>,
  config: Readonly<Record<string, string>> = {},
): Trap {
  return {
    name,
    arm({ write, git, folder }, program) {
      write('lacking.txt', 'lacking\n')
      git('add', '.')
      git('commit', '--quiet', '-m', 'Lacking')
      const blob = git('rev-parse', 'HEAD:lacking.txt')
      rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)))
      const keys = {
        ...config,
        'core.repositoryFormatVersion': '1',
        'extensions.partialClone': 'trap',
        'remote.trap.promisor': 'true',
      }
      const ofRemote = Object.entries(remote).map(
        ([key, value]) => [`remote.trap.${key}`, value] as const,
      )
      for (const [key, value] of [...Object.entries(keys), ...ofRemote])
        git(
          'config',
          key.replaceAll('@', program),
          value.replaceAll('@', program).replaceAll('~', folder),
        )
    },
    control: [checkout],
  }
}

/** `http`: where a server asks for a password. */
export const remoteTraps = (http: string): readonly Trap[] => [
  promisor('ext', { url: 'ext::@ x' }, { 'protocol.ext.allow': 'always' }),
  promisor(
    'protocol.allow',
    { url: 'ext::@ x' },
    { 'protocol.allow': 'always', 'protocol.ext.allow': 'always' },
  ),
  promisor(
    'url.insteadOf',
    { url: 'https://x.invalid/' },
    { 'url.ext::@ x.insteadOf': 'https://x.invalid/', 'protocol.ext.allow': 'always' },
  ),
  promisor('git-remote-trap', { url: 'trap::x' }, { 'protocol.trap.allow': 'always' }),
  promisor('git-remote-vcs', { vcs: 'vcs', url: 'x' }, { 'protocol.vcs.allow': 'always' }),
  promisor(
    'core.sshCommand',
    { url: 'ssh://x.invalid/x' },
    { 'core.sshCommand': '@', 'protocol.ssh.allow': 'always' },
  ),
  promisor(
    'core.gitProxy',
    { url: 'git://x.invalid/x' },
    { 'core.gitProxy': '@', 'protocol.git.allow': 'always' },
  ),
  promisor('remote.uploadpack', { url: '~', uploadpack: '@' }, { 'protocol.file.allow': 'always' }),
  promisor(
    'credential.helper',
    { url: http },
    { 'credential.helper': '@', 'protocol.http.allow': 'always' },
  ),
  promisor('core.askPass', { url: http }, { 'core.askPass': '@', 'protocol.http.allow': 'always' }),
]

export interface SubmoduleTrap extends Trap {
  /** Arms a submodule, in whichever checkout. */
  readonly inside: (submodule: TestRepository, program: string) => void
}

const fromHere = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet']
let source: TestRepository | undefined

/** A submodule that has a submodule, to be cloned. */
function submoduleSource(): TestRepository {
  if (source) return source
  source = makeRepository()
  source.git(...fromHere, 'add', makeRepository().folder, 'nested')
  source.write('s.txt', 'one\n')
  source.git('add', '.')
  source.git('commit', '--quiet', '-m', 'Nested')
  return source
}

/** Checks out the submodules of a checkout and arms the traps in them. */
export function populate(
  tree: TestRepository,
  scene: Scene,
  traps: readonly SubmoduleTrap[],
): void {
  tree.git('-c', 'submodule.sub.update=checkout', ...fromHere, 'update', '--init', '--recursive')
  for (const { name, inside } of traps) inside(at(join(tree.folder, 'sub')), join(scene.bin, name))
  // As if it had been worked on: git has to read it again.
  utimesSync(join(tree.folder, 'sub/s.txt'), 1, 1)
}

export function addSubmodule({ git }: TestRepository): void {
  git(...fromHere, 'add', submoduleSource().folder, 'sub')
  git('commit', '--quiet', '-m', 'Submodule')
}

function within(
  name: string,
  inside: SubmoduleTrap['inside'],
  control = ['status'],
): SubmoduleTrap {
  return { name: `submodule.${name}`, inside, control }
}

const gitFolder = ({ git }: TestRepository): string => git('rev-parse', '--absolute-git-dir')

function filtered(submodule: TestRepository, keys: readonly string[], program: string): void {
  writeFileSync(join(gitFolder(submodule), 'info/attributes'), 's.txt filter=trap\n')
  for (const key of keys) submodule.git('config', `filter.trap.${key}`, program)
}

export const submoduleTraps: readonly SubmoduleTrap[] = [
  within('core.fsmonitor', ({ git }, program) => git('config', 'core.fsmonitor', program)),
  within('filter.clean', (submodule, program) => filtered(submodule, ['clean', 'smudge'], program)),
  within('filter.process', (submodule, program) => filtered(submodule, ['process'], program)),
  within('include.path', (submodule, program) => {
    const file = join(gitFolder(submodule), 'more.config')
    writeFileSync(file, `[core]\n\tfsmonitor = ${program}\n`)
    submodule.git('config', 'include.path', file)
  }),
  within('post-index-change', (submodule, program) => {
    const folder = join(gitFolder(submodule), 'other-hooks')
    submodule.git('config', 'core.hooksPath', folder)
    mkdirSync(folder)
    symlinkSync(program, join(folder, 'post-index-change'))
  }),
  within('nested', ({ folder }, program) =>
    at(join(folder, 'nested')).git('config', 'core.fsmonitor', program),
  ),
  {
    ...within('diff.external', ({ git }, program) => git('config', 'diff.external', program), [
      '-C sub rm -q s.txt',
      '-C sub commit -q -m x',
      'diff',
    ]),
    config: { 'diff.submodule': 'diff', 'status.submoduleSummary': 'true' },
  },
  {
    ...within('update', () => {}, ['-C sub commit -q --allow-empty -m x', 'submodule update']),
    config: {
      'submodule.sub.update': '!@ x',
      'submodule.recurse': 'true',
      'submodule.sub.ignore': 'none',
    },
  },
]
