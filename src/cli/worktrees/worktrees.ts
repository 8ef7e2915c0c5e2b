/** `holdfast worktrees`: worktrees of agents, their changes, merging and removing them. */

import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { pruneWorktrees } from './prune-worktrees.ts'
import {
  commitWorktree,
  diffWorktree,
  listWorktrees,
  mergeWorktree,
  patchWorktree,
  removeWorktree,
  setUpWorktrees,
  showWorktree,
} from './worktree-commands.ts'

const worktree = { name: 'worktree', about: 'its id, its branch, or its role' }

export const worktrees: CommandSpec = {
  name: 'worktrees',
  summary: 'Worktrees of agents: what they changed, how it gets out, what can go',
  examples: [
    ['worktrees', 'list them, with what each takes and which can go'],
    ['worktrees diff reviewer', 'what has changed in one'],
    ['worktrees merge reviewer', 'into the branch it began at'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the worktrees of a project, newest first (the default)',
      options: [projectOption, limitOption],
      examples: [
        ['worktrees list', 'with branch, changes and disk used'],
        ['worktrees list --json', 'for a program'],
      ],
      isDefault: true,
      run: listWorktrees,
    },
    {
      name: 'show',
      summary: 'Show one: branch, ahead and behind, changed files, the git command that brings it in',
      operands: [worktree],
      options: [projectOption],
      examples: [['worktrees show reviewer', 'how it stands']],
      run: showWorktree,
    },
    {
      name: 'diff',
      summary: 'Print what has changed since it began',
      operands: [worktree],
      options: [projectOption, { flags: '--file <path>', about: 'only of this file' }],
      examples: [['worktrees diff reviewer --file src/a.ts', 'one file']],
      run: diffWorktree,
    },
    {
      name: 'patch',
      summary: 'Print everything that has changed as one patch for git apply',
      operands: [worktree],
      options: [projectOption, { flags: '--out <file>', about: 'into this file instead' }],
      examples: [
        ['worktrees patch reviewer --out work.patch', 'into a file'],
        ['worktrees patch reviewer | git apply', 'into this checkout'],
      ],
      run: patchWorktree,
    },
    {
      name: 'commit',
      summary: 'Commit everything in it on its branch',
      operands: [worktree],
      options: [projectOption, { flags: '-m, --message <text>', about: 'the commit message' }],
      examples: [['worktrees commit reviewer -m "Fix the parser"', 'with a message']],
      run: commitWorktree,
    },
    {
      name: 'merge',
      summary: 'Bring its commits into a branch; conflicts leave both sides untouched',
      operands: [worktree],
      options: [
        projectOption,
        { flags: '--into <branch>', about: 'the branch; the one it began at when left out' },
        { flags: '--rebase', about: 'one commit after the other instead of a merge' },
      ],
      examples: [['worktrees merge reviewer --into main', 'into main']],
      run: mergeWorktree,
    },
    {
      name: 'remove',
      summary: 'Remove one and its branch; asks first when something would be lost',
      operands: [worktree],
      options: [projectOption, yesOption],
      examples: [['worktrees remove reviewer --yes', 'without being asked, whatever is lost']],
      run: removeWorktree,
    },
    {
      name: 'prune',
      summary: 'Remove all that were not used for a while, after showing what would be lost with each; those in use stay',
      options: [
        projectOption,
        { flags: '--days <number>', about: 'not used for so many days (7); 0 for all' },
        { flags: '--dry-run', about: 'only show what would be removed' },
        yesOption,
      ],
      examples: [
        ['worktrees prune', 'asks once for all of them'],
        ['worktrees prune --days 30 --dry-run', 'what would go, and what would be lost'],
      ],
      run: pruneWorktrees,
    },
    {
      name: 'set-up',
      summary: 'Show or set what makes a fresh worktree runnable',
      options: [
        projectOption,
        { flags: '--command <words>', about: 'a program and its arguments, separated by spaces; there is no shell' },
        { flags: '--copy <paths>', about: 'ignored files to copy first, with commas between' },
        { flags: '--none', about: 'nothing is done any more' },
      ],
      examples: [['worktrees set-up --command "npm ci" --copy .env', 'for fresh worktrees from now on']],
      run: setUpWorktrees,
    },
  ],
}
