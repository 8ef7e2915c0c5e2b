/** The traps of git-traps.ts that a repository's configuration and attributes name. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { killGroup } from '../../src/platform/processes/signals.ts'
import { makeRepository, type TestRepository } from './git-repository.ts'
import type { Scene, Trap } from './git-traps.ts'
import { temporaryFolder } from './temporary-folder.ts'

const filterOf = (name: string, program: string): string =>
  `[filter "${name}"]\n\tclean = ${program}\n\tsmudge = ${program}\n`

/** Makes its filter known by a file of configuration that is included so. */
const included = (name: string, key: string, control: readonly string[]): Trap => ({
  name,
  attribute: 'filter',
  arm(scene, program) {
    scene.write(`.git/${name}.config`, filterOf(name, program))
    scene.git('config', key, join(scene.folder, `.git/${name}.config`))
  },
  control,
})

/** What making a workspace comes to. */
export const checkout = 'worktree add --quiet -b holdfast/x/x .git/elsewhere main'
const noTerminal = 'git does so only at a terminal, and ours has none'
/** git takes it only from the person's own configuration. */
const onlyProtected =
  'the git that is installed takes this key only from the configuration of the person or the machine'
const [major = 0, minor = 0] =
  /(\d+)\.(\d+)/
    .exec(execFileSync('git', ['--version'], { encoding: 'utf8' }))
    ?.slice(1)
    .map(Number) ?? []

/** A key of a newer git. An older one does nothing with it. */
const since = (
  [first, second]: readonly [number, number],
  ...control: string[]
): Pick<Trap, 'control' | 'cannot'> =>
  major > first || (major === first && minor >= second)
    ? { control }
    : { cannot: 'the git that is installed is older than this key' }

export const configTraps: readonly Trap[] = [
  { name: 'core.fsmonitor', config: { 'core.fsmonitor': '@' }, control: ['status'] },
  { name: 'core.editor', config: { 'core.editor': '@' }, control: ['commit --allow-empty'] },
  { name: 'sequence.editor', config: { 'sequence.editor': '@' }, control: ['rebase -i HEAD~1'] },
  { name: 'core.pager', config: { 'core.pager': '@' }, cannot: noTerminal },
  { name: 'pager.status', config: { 'pager.status': '@', 'pager.diff': '@' }, cannot: noTerminal },
  {
    name: 'core.hooksPath',
    config: { 'core.hooksPath': '~/.git/other-hooks' },
    arm({ folder }, program) {
      mkdirSync(join(folder, '.git/other-hooks'))
      for (const hook of ['pre-commit', 'post-checkout', 'post-index-change'])
        symlinkSync(program, join(folder, '.git/other-hooks', hook))
    },
    control: ['commit --allow-empty -m x'],
  },
  { name: 'diff.external', config: { 'diff.external': '@' }, control: ['diff HEAD conflicting'] },
  {
    name: 'diff.command',
    attribute: 'diff',
    config: { 'diff.diff.command.command': '@' },
    control: ['diff HEAD conflicting'],
  },
  {
    name: 'diff.textconv',
    attribute: 'diff',
    config: { 'diff.diff.textconv.textconv': '@' },
    control: ['diff HEAD conflicting'],
  },
  {
    name: 'merge.driver',
    attribute: 'merge',
    config: { 'merge.merge.driver.driver': '@ %A' },
    control: ['switch -q ours', 'merge conflicting'],
  },
  {
    name: 'filter.clean',
    attribute: 'filter',
    config: { 'filter.filter.clean.clean': '@' },
    control: ['add --renormalize .'],
  },
  {
    name: 'filter.smudge',
    attribute: 'filter',
    config: { 'filter.filter.smudge.smudge': '@' },
    control: [checkout],
  },
  {
    name: 'filter.process',
    attribute: 'filter',
    config: { 'filter.filter.process.process': '@', 'filter.filter.process.required': 'true' },
    control: [checkout],
  },
  {
    name: 'gpg.program',
    config: { 'gpg.program': '@', 'commit.gpgSign': 'true' },
    control: ['commit --allow-empty -m x'],
  },
  {
    name: 'gpg.openpgp',
    config: { 'gpg.openpgp.program': '@' },
    control: ['commit --allow-empty -S -m x'],
  },
  {
    name: 'gpg.x509',
    config: { 'gpg.x509.program': '@' },
    control: ['-c gpg.format=x509 commit --allow-empty -S -m x'],
  },
  {
    name: 'gpg.ssh',
    config: { 'gpg.ssh.program': '@' },
    control: ['-c gpg.format=ssh -c user.signingKey=/dev/null commit --allow-empty -S -m x'],
  },
  {
    name: 'gpg.ssh.defaultKeyCommand',
    config: { 'gpg.ssh.defaultKeyCommand': '@' },
    control: ['-c gpg.format=ssh commit --allow-empty -S -m x'],
  },
  {
    name: 'branch.mergeOptions',
    config: {
      'branch.main.mergeOptions': '--verify-signatures',
      'merge.verifySignatures': 'true',
      'gpg.program': '@',
    },
    arm: (scene) => void scene.git('branch', 'signed', signed(scene)),
    control: ['merge --ff-only signed'],
  },
  {
    name: 'log.showSignature',
    config: { 'log.showSignature': 'true', 'gpg.program': '@' },
    arm: (scene) => void scene.git('branch', 'shown', signed(scene)),
    control: ['log -1 shown'],
  },
  included('include.path', 'include.path', [checkout]),
  included('includeIf.onbranch', 'includeIf.onbranch:holdfast/**.path', [checkout]),
  included('includeIf.gitdir', 'includeIf.gitdir:**/worktrees/**.path', [checkout]),
  included('includeIf.scratch', 'includeIf.gitdir:**/worktrees/rebase-*.path', [
    'worktree add --quiet --detach .git/rebase-1 main',
  ]),
  {
    name: 'config.worktree',
    attribute: 'filter',
    config: { 'extensions.worktreeConfig': 'true' },
    arm: ({ write }, program) =>
      write('.git/config.worktree', filterOf('config.worktree', program)),
    control: ['add --renormalize .'],
  },
  {
    name: 'info.attributes',
    config: { 'filter.info.clean': '@', 'filter.info.smudge': '@' },
    arm: ({ write }) => write('.git/info/attributes', 'info.attributes.txt filter=info\n'),
    control: [checkout],
  },
  {
    name: 'core.attributesFile',
    config: {
      'filter.file.clean': '@',
      'filter.file.smudge': '@',
      'core.attributesFile': '~/.git/more-attributes',
    },
    arm: ({ write }) => write('.git/more-attributes', 'core.attributesFile.txt filter=file\n'),
    control: [checkout],
  },
  { name: 'alias', config: { 'alias.trap': '!@ x', 'alias.status': '!@ x' }, control: ['trap'] },
  {
    name: 'trailer.command',
    config: { 'trailer.x.key': 'X', 'trailer.x.command': '@ x', 'trailer.x.ifexists': 'add' },
    control: ['commit --allow-empty -m x --trailer x=y'],
  },
  {
    name: 'trailer.cmd',
    config: { 'trailer.y.key': 'Y', 'trailer.y.cmd': '@' },
    control: ['commit --allow-empty -m x --trailer y=y'],
  },
  {
    name: 'interactive.diffFilter',
    config: { 'interactive.diffFilter': '@' },
    cannot: noTerminal,
  },
  {
    name: 'tar.command',
    config: { 'tar.trap.command': '@' },
    control: ['archive --format=trap HEAD'],
  },
  {
    name: 'difftool.cmd',
    config: { 'difftool.trap.cmd': '@ x', 'diff.tool': 'trap' },
    control: ['difftool -y HEAD conflicting -- plain.txt'],
  },
  {
    name: 'mergetool.cmd',
    config: { 'mergetool.trap.cmd': '@ x', 'merge.tool': 'trap' },
    control: ['switch -q ours', 'merge conflicting', 'mergetool -y plain.txt'],
  },
  {
    name: 'core.alternateRefsCommand',
    config: { 'core.alternateRefsCommand': '@ x' },
    arm: alternate,
    control: ['fetch . conflicting:fetched'],
  },
  {
    name: 'uploadpack.packObjectsHook',
    config: { 'uploadpack.packObjectsHook': '@' },
    cannot: onlyProtected,
  },
  {
    name: 'init.templateDir',
    config: { 'init.templateDir': '/' },
    cannot: 'git init does not read the configuration of a repository',
  },
  {
    name: 'gc.recentObjectsHook',
    config: { 'gc.recentObjectsHook': '@' },
    arm({ git, write, folder }) {
      write('.git/loose', 'loose')
      const id = git('hash-object', '-w', '.git/loose')
      utimesSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)), 1, 1)
    },
    ...since([2, 42], 'prune --expire=1.hour.ago'),
  },
  ...['pre-commit', 'reference-transaction', 'post-index-change', 'post-checkout'].map(
    (event): Trap => ({
      name: `hook.command-${event}`,
      // Not named as the event: git refuses that.
      config: { [`hook.of-${event}.command`]: '@ x', [`hook.of-${event}.event`]: event },
      ...since(
        [2, 54],
        ...(event === 'post-checkout'
          ? ['switch -q ours']
          : event === 'post-index-change'
            ? ['add --renormalize .']
            : ['commit --allow-empty -m x']),
      ),
    }),
  ),
  {
    name: 'lfs.extension',
    attribute: 'filter',
    config: {
      'lfs.extension.trap.clean': '@ x',
      'lfs.extension.trap.smudge': '@ x',
      'lfs.extension.trap.priority': '0',
    },
    cannot: 'only git-lfs reads it, which is a filter like any other',
  },
  {
    name: 'lfs.customtransfer',
    config: { 'lfs.customtransfer.trap.path': '@' },
    cannot: 'only git-lfs reads it',
  },
  {
    name: 'include.pipe',
    arm({ folder, git }, program) {
      const pipe = join(folder, '.git/pipe')
      execFileSync('mkfifo', [pipe])
      // Answers clean to the first who asks. It outlives a reader that closes before it has
      // written.
      const text = `[core]\n\tfsmonitor = ${program}\n`
      const writes = `trap '' PIPE; printf '' > '${pipe}'; while [ -p '${pipe}' ]; do printf '%s' '${text}' > '${pipe}'; done`
      const child = spawn('/bin/sh', ['-c', writes], { detached: true, stdio: 'ignore' })
      onTestFinished(() => killGroup(child))
      git('config', 'include.path', pipe)
    },
    control: ['status', 'status'],
  },
]

function alternate({ folder }: Scene): void {
  mkdirSync(join(folder, '.git/objects/info'), { recursive: true })
  writeFileSync(
    join(folder, '.git/objects/info/alternates'),
    `${join(makeRepository().folder, '.git/objects')}\n`,
  )
}

/** A commit on top of what is checked out that carries a signature, as one of an agent may. */
export function signed({ git }: TestRepository): string {
  const commit = git(
    'cat-file',
    'commit',
    git('commit-tree', '-p', 'HEAD', '-m', 'Signed', 'HEAD^{tree}'),
  )
  const file = join(temporaryFolder(), 'commit')
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n'
  writeFileSync(file, `${commit.replace('\n\n', `\n${signature}\n`)}\n`)
  return git('hash-object', '-t', 'commit', '-w', file)
}
