/** The traps of git-traps.ts that are hooks. */
import { checkout } from './git-config-traps.ts'
import type { Trap } from './git-traps.ts'

const hook = (name: string, ...control: string[]): Trap => ({
  name: `hook ${name}`,
  hook: name,
  control,
})
const rewrite = ['switch -q ours', 'rebase conflicting']

export const hookTraps: readonly Trap[] = [
  hook('post-checkout', checkout),
  hook('pre-commit', 'commit --allow-empty -m x'),
  hook('prepare-commit-msg', 'commit --allow-empty -m x'),
  hook('commit-msg', 'commit --allow-empty -m x'),
  hook('post-commit', 'commit --allow-empty -m x'),
  hook('pre-merge-commit', 'commit --allow-empty -m x', 'merge ours --no-edit'),
  hook('post-merge', 'merge --ff-only ours'),
  hook('pre-rebase', ...rewrite),
  hook('post-rewrite', 'commit --amend --allow-empty -m x'),
  hook('reference-transaction', 'update-ref refs/heads/moved main'),
  hook('post-index-change', 'add --renormalize .'),
  hook(
    'applypatch-msg',
    'format-patch -q -1 ours -o .git/patches',
    'am .git/patches/0001-ours.patch',
  ),
  hook(
    'pre-applypatch',
    'format-patch -q -1 ours -o .git/patches',
    'am .git/patches/0001-ours.patch',
  ),
  hook(
    'post-applypatch',
    'format-patch -q -1 ours -o .git/patches',
    'am .git/patches/0001-ours.patch',
  ),
  {
    ...hook('pre-auto-gc', 'commit --allow-empty -m x'),
    // A newer git would rather repack what is there.
    config: { 'gc.auto': '1', 'gc.autoDetach': 'false', 'maintenance.strategy': 'gc' },
    // So many that there is something to do.
    arm({ write }) {
      for (const digit of '123') write(`.git/objects/17/${digit.repeat(38)}`, '')
    },
  },
  hook('pre-push', 'push . ours:pushed'),
  hook('pre-receive', 'push . ours:pushed'),
  hook('update', 'push . ours:pushed'),
  hook('post-receive', 'push . ours:pushed'),
  hook('post-update', 'push . ours:pushed'),
  {
    ...hook('push-to-checkout', 'push . ours:main'),
    config: { 'receive.denyCurrentBranch': 'updateInstead' },
  },
  {
    ...hook('proc-receive', 'push . ours:refs/for/x'),
    config: { 'receive.procReceiveRefs': 'refs/for' },
  },
]
