/**
 * Everything Holdfast does with git in a project, once: what a coordinator does for an agent's
 * workspace and answers when it is asked.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FileStates } from '../../src/coordinator/file-states/file-states.ts'
import type { StepMachine } from '../../src/coordinator/landing/run-step.ts'
import { answerRequest } from '../../src/coordinator/worktrees/answer-request.ts'
import { makeWorkspace } from '../../src/coordinator/worktrees/make-workspace.ts'
import { Occupancy } from '../../src/coordinator/worktrees/occupancy.ts'
import { openRepository, Repository } from '../../src/coordinator/worktrees/repository.ts'
import { copyIgnored } from '../../src/coordinator/worktrees/set-up.ts'
import { DetailError } from '../../src/domain/notices.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { CoordinatorRequest } from '../../src/protocol/processes/coordinator-requests.ts'
import { signed } from './git-config-traps.ts'
import { at, gitWith, type TestRepository } from './git-repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface HostileProject {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * A machine that works in it; `make` gives the top of a role's worktree, `ask` what became of a
 * question.
 */
export function machineFor(
  { folder, env }: HostileProject,
  credential: StepMachine['credential'] = async () => null,
) {
  const git = gitWith(env)
  const worktreesFolder = realpathSync(temporaryFolder())
  const occupancy = new Occupancy()
  const root = join(worktreesFolder, 'proj_1', '1c55ab10')
  mkdirSync(root, { recursive: true })
  return {
    git,
    async make(role: string): Promise<TestRepository> {
      const wanted = {
        projectFolder: folder,
        root,
        workspace: role,
        userSessionShort: '1c55ab10',
        role,
      }
      const made = await makeWorkspace(git, wanted)
      if (made.kind !== 'worktree') throw new DetailError(made.why)
      return at(made.top)
    },
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects
    async ask(asked: CoordinatorRequest): Promise<any> {
      const fileStates = new FileStates(git)
      const landing = { credential, env, dataFolder: worktreesFolder }
      const answer = await answerRequest(
        { git, worktreesFolder, occupancy, clock: systemClock, fileStates, landing },
        asked,
      )
      return answer.ok ? answer.value : answer
    },
  }
}

/** What the fields of a plan are that no test is about. */
export const wantedPlan = {
  kind: 'land-plan',
  into: 'main',
  ofCaller: true,
  message: 'Work',
  signature: { name: 'Ada', email: 'a@b.c', ofOwner: false, date: '2026-03-01T09:00:00.000Z' },
  coAuthor: null,
  protectedBranches: [] as string[],
  check: null,
  address: null,
  title: 'Work',
} as const

type Ask = ReturnType<typeof machineFor>['ask']

/** Two ways in, and out again: what each step came to. */
async function landEverything({ folder: top, write }: TestRepository, ask: Ask) {
  const where = { top, key: 'web:p.a' }
  const outcomes: string[] = []
  for (const how of ['squash', 'rebase'] as const) {
    write(`${how}.md`, `${how}\n`)
    const { steps } = await ask({ ...wantedPlan, ...where, how })
    for (const step of steps) {
      outcomes.push((await ask({ kind: 'land-step', ...where, step })).outcome)
      const { do: what, branch, from: to, to: from } = step
      if (what !== 'move' || how !== 'rebase') continue
      outcomes.push((await ask({ kind: 'land-undo', ...where, branch, from, to })).outcome)
    }
  }
  return outcomes
}

/**
 * What each step came to, for the test to see that it was really done. `prepare` has the fresh
 * worktree, `spoil` what is removed.
 */
export async function doEverything(
  project: HostileProject,
  {
    prepare = () => {},
    spoil = () => {},
  }: Partial<Record<'prepare' | 'spoil', (tree: TestRepository) => void>> = {},
): Promise<Record<string, unknown>> {
  const { git, make, ask } = machineFor(project)
  const tree = await make('auth')
  const { folder: top } = tree
  prepare(tree)
  for (const file of readdirSync(top).filter((name) => name.endsWith('.txt')))
    writeFileSync(join(top, file), 'agent\n')
  tree.write('new.txt', 'new\n')
  writeFileSync(join(project.folder, '.env'), 'KEY=1')
  const repository = await openRepository(git, top)
  if (!(repository instanceof Repository)) throw new DetailError(repository.why)
  const copied = await copyIgnored(project.folder, repository, ['.env'])
  const place = { kind: 'worktree', top } as const
  const into = (target: string, how: 'merge' | 'rebase') =>
    ask({ kind: 'worktree-merge', top, target, how, message: 'In' })
  const [look] = await ask({ kind: 'worktrees-look', places: [place] })
  const state = await ask({ kind: 'worktree-state', top })
  const diff = await ask({ kind: 'worktree-diff', top, path: null })
  await ask({ kind: 'worktree-diff', top, path: 'plain.txt' })
  const patch = await ask({ kind: 'worktree-patch', top })
  const refused = await ask({ kind: 'worktree-remove', place, confirmed: null })
  const filtered = await ask({ kind: 'worktree-commit', top, message: 'Work' })
  // Files with a filter are the agent's own to commit.
  const rules = existsSync(join(top, '.gitattributes'))
    ? readFileSync(join(top, '.gitattributes'), 'utf8')
    : ''
  for (const [, name = ''] of rules.matchAll(/^(.+) filter=/gm)) tree.write(name, 'one\n')
  const committed =
    filtered.ok === false ? await ask({ kind: 'worktree-commit', top, message: 'Work' }) : filtered
  const conflicts = [await into('conflicting', 'merge'), await into('conflicting', 'rebase')]
  const aside = await into('aside', 'rebase')
  tree.git('update-ref', '--no-deref', 'HEAD', signed(tree))
  const main = await into('main', 'merge')
  await make('auth')
  const landed = await landEverything(await make('landing'), ask)
  tree.write('more.txt', 'more\n')
  spoil(tree)
  const losses = await ask({ kind: 'worktree-losses', top })
  const removed = await ask({ kind: 'worktree-remove', place, confirmed: losses.digest })
  const second = await make('second')
  const clean = await ask({
    kind: 'worktree-remove',
    place: { kind: 'worktree', top: second.folder },
    confirmed: null,
  })
  return {
    copied: copied.copied,
    canGo: look.canGo,
    uncommitted: state.uncommitted > 0,
    diff: diff.text.includes('+agent'),
    patch: patch.base64.length > 0,
    refused: refused.outcome,
    filtered: filtered.reason ?? null,
    committed: committed.files > 0,
    conflicts: conflicts.map(({ outcome }) => outcome),
    aside: aside.outcome,
    main: main.outcome,
    landed,
    losses: losses.files.map(({ path }: { path: string }) => path),
    removed: removed.outcome,
    clean: clean.outcome,
  }
}

export const everythingDone = {
  copied: ['.env'],
  canGo: 'would_lose',
  uncommitted: true,
  diff: true,
  patch: true,
  refused: 'would_lose',
  filtered: 'needs_filter',
  committed: true,
  conflicts: ['conflicts', 'conflicts'],
  aside: 'done',
  main: 'done',
  landed: ['done', 'done', 'done', 'done', 'done'],
  losses: ['more.txt'],
  removed: 'removed',
  clean: 'removed',
}
