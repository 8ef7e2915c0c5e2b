/** `holdfast worktrees`: worktrees of agents, their changes, merging and removing them. */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ProblemError } from '../../client/client.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { ListedWorktree, Losses, Worktree } from '../../protocol/worktrees/worktree.ts'
import { counted, size } from '../amounts.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findOne } from '../find-by-name.ts'
import { limitOption, projectOption, yesOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { pruneWorktrees } from './prune.ts'
import { setUpWorktrees } from './set-up.ts'
import { bytesOf, lossesInWords, many, one } from './worktree-words.ts'

const worktree = operand.required('its id, its branch, or its role')

const patchWithinMs = 60_000

const listWorktrees = command({
  summary: 'List the worktrees of a project, newest first (the default)',
  options: { project: projectOption, limit: limitOption },
  examples: [
    ['worktrees list', 'with branch, changes and disk used'],
    ['worktrees list --json', 'for a program'],
  ],
  async run(context) {
    const { id: projectId } = await chooseProject(context)
    await context.printList(
      context.client.pages(many, { params: { projectId }, query: { look: true } }),
      {
        empty:
          'There is no worktree. An agent in a role of a console gets one: `holdfast run`, or the console in the page.',
        columns: [
          { title: 'ROLE', of: ({ role }) => visible(role), style: 'bold' },
          {
            title: 'BRANCH',
            of: ({ branch, note }) => visible(branch ?? note ?? '–'),
            shrinks: true,
          },
          { title: 'CHANGES', of: changesOf },
          {
            title: 'DISK',
            of: ({ look }) =>
              look ? `${look.disk.complete ? '' : '≥ '}${size(look.disk.bytes)}` : '–',
          },
          {
            title: 'CAN GO',
            of: ({ look, trouble }) => (look ? canGo[look.canGo] : (trouble ?? '–')),
          },
          { title: 'USED', of: ({ lastUsedAt }) => context.ago(lastUsedAt) },
          { title: 'ID', of: ({ id }) => id, style: 'dim' },
        ],
        below: (items) => `${size(bytesOf(items))} in all`,
      },
    )
  },
})

const canGo = {
  yes: 'yes',
  would_lose: 'holds work',
  in_use: 'in use',
  gone: 'not there',
  refused: 'no',
} as const

function changesOf({ look, kind }: ListedWorktree): string {
  if (!look || kind === 'plain') return '–'
  const ahead = look.ahead === null ? '' : `+${look.ahead}`
  const behind = look.behind === null || look.behind === 0 ? '' : ` −${look.behind}`
  return `${ahead}${behind} ${counted(look.fileCount, 'file')}`.trim()
}

async function findWorktree(context: CommandContext, typed: string): Promise<Worktree> {
  const { id: projectId } = await chooseProject(context)
  const all = context.client.pages(many, { params: { projectId } })
  return findOne('worktree', typed, all, ({ id, branch, role }) => [[id], [branch, role]])
}

const paramsOf = ({ projectId, id }: Worktree) => ({ projectId, worktreeId: id })

const showWorktree = command({
  summary: 'Show one: branch, ahead and behind, changed files, the git command that brings it in',
  operands: { worktree },
  options: { project: projectOption },
  examples: [['worktrees show reviewer', 'how it stands']],
  async run(context, given) {
    const found = await context.client.get(one, {
      params: paramsOf(await findWorktree(context, given.worktree)),
    })
    context.answer(found, () => {
      const { worktree, state } = found
      const facts = state
        ? [
            ['Branch', visible(state.branch ?? 'between branches')],
            ['Ahead', String(state.ahead ?? '–')],
            ['Behind', String(state.behind ?? '–')],
            ['Not committed', counted(state.uncommitted, 'file')],
            ...(state.command === null ? [] : [['Command', visible(state.command)] as const]),
          ]
        : [['Note', visible(worktree.note ?? 'It has no state.')]]
      const setUp = worktree.setUp?.outcome ? [['Set-up', worktree.setUp.outcome]] : []
      const pairs = [
        ['Role', visible(worktree.role)],
        ['Folder', visible(worktree.folder)],
        ...facts,
        ...setUp,
      ]
      const files = (state?.files ?? []).map(
        ({ path, change }) => `  ${change.padEnd(10)} ${visible(path)}`,
      )
      return [context.fields(pairs as [string, string][]), ...files].join('\n')
    })
  },
})

const diffWorktree = command({
  summary: 'Print what has changed since it began',
  operands: { worktree },
  options: { project: projectOption, file: option.text('<path>', 'only of this file') },
  examples: [['worktrees diff reviewer --file src/a.ts', 'one file']],
  async run(context, given) {
    const query = { path: given.file }
    const diff = await context.client.get(`${one}/diff`, {
      params: paramsOf(await findWorktree(context, given.worktree)),
      query,
    })
    context.answer(diff, () => visibleLines(diff.text.trimEnd()) || 'Nothing has changed.')
    if (diff.cut && !context.json)
      context.note('There is more than is shown; worktrees patch has all of it.')
  },
})

/** Writes the patch byte by byte, for git. */
const patchWorktree = command({
  summary: 'Print everything that has changed as one patch for git apply',
  operands: { worktree },
  options: { project: projectOption, out: option.text('<file>', 'into this file instead') },
  examples: [
    ['worktrees patch reviewer --out work.patch', 'into a file'],
    ['worktrees patch reviewer | git apply', 'into this checkout'],
  ],
  async run(context, given) {
    const { projectId, worktreeId } = paramsOf(await findWorktree(context, given.worktree))
    const path = `/api/projects/${encodeURIComponent(projectId)}/worktrees/${encodeURIComponent(worktreeId)}/patch`
    const response = await context.client.open(path, { signal: AbortSignal.timeout(patchWithinMs) })
    if (!response.ok) throw new ProblemError(await response.json())
    const bytes = Buffer.from(await response.arrayBuffer())
    const file = given.out
    if (file === undefined) {
      const text = bytes.toString()
      if (!Buffer.from(text).equals(bytes))
        throw usage(
          'This patch holds bytes that are no text.',
          'Add --out FILE to have it written byte by byte.',
        )
      return void context.terminal.stdout.write(text)
    }
    await writeFile(resolve(context.terminal.cwd, file), bytes)
    context.finished(
      { file, bytes: bytes.length },
      `${size(bytes.length)} written to ${visible(file)}`,
    )
  },
})

const commitWorktree = command({
  summary: 'Commit everything in it on its branch',
  operands: { worktree },
  options: {
    project: projectOption,
    message: option.text('<text>', 'the commit message', { short: 'm' }),
  },
  examples: [['worktrees commit reviewer -m "Fix the parser"', 'with a message']],
  async run(context, given) {
    const body = { message: given.message }
    const done = await context.client.post(`${one}/commit`, {
      params: paramsOf(await findWorktree(context, given.worktree)),
      body,
    })
    const commit = done.commit?.slice(0, 10)
    context.finished(
      done,
      commit
        ? `${counted(done.files, 'file')} committed as ${commit}`
        : 'There was nothing to commit',
    )
  },
})

const mergeWorktree = command({
  summary: 'Bring its commits into a branch; conflicts leave both sides untouched',
  operands: { worktree },
  options: {
    project: projectOption,
    into: option.text('<branch>', 'the branch; the one it began at when left out'),
    rebase: option.flag('one commit after the other instead of a merge'),
  },
  examples: [['worktrees merge reviewer --into main', 'into main']],
  async run(context, given) {
    const body = {
      branch: given.into,
      how: given.rebase ? ('rebase' as const) : ('merge' as const),
    }
    const params = paramsOf(await findWorktree(context, given.worktree))
    try {
      const done = await context.client.post(`${one}/merge`, { params, body })
      const branch = visible(done.branch)
      context.finished(
        done,
        done.outcome === 'done' ? `It is in ${branch} now` : `${branch} has it all already`,
      )
    } catch (error) {
      const { files, command, reason } = fieldsOf(error)
      if (!context.json && reason === 'uncommitted')
        context.note(context.hint(`First: holdfast worktrees commit ${visible(given.worktree)}`))
      if (!context.json && Array.isArray(files))
        context.note(`Conflicts in: ${files.map((each) => visible(String(each))).join(', ')}`)
      if (!context.json && typeof command === 'string')
        context.note(`To resolve them yourself: ${visible(command)}`)
      throw error
    }
  },
})

const fieldsOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof ProblemError ? { ...error.problem } : {}

const removeWorktree = command({
  summary: 'Remove one and its branch; asks first when something would be lost',
  operands: { worktree },
  options: { project: projectOption, yes: yesOption },
  examples: [['worktrees remove reviewer --yes', 'without being asked, whatever is lost']],
  async run(context, given) {
    const worktree = await findWorktree(context, given.worktree)
    const params = paramsOf(worktree)
    const name = visible(worktree.branch ?? worktree.folder)
    try {
      await context.client.delete(one, { params })
    } catch (error) {
      const losses = fieldsOf(error)['losses'] as Losses | undefined
      if (!losses) throw error
      const { files, commits } = losses
      const shown = {
        ...losses,
        files: files.map(({ path }) => path),
        commits: commits.map(({ subject }) => subject),
      }
      const words = lossesInWords({
        ...shown,
        fileCount: files.length,
        commitCount: commits.length,
      })
      await context.confirm(`Remove ${name}?`, `Lost for good: ${words}.`)
      await context.client.delete(one, { params, query: { confirm: losses.digest } })
    }
    context.finished({ removed: worktree.id }, `${name} is removed`)
  },
})

export const worktrees: CommandSpec = {
  summary: 'Worktrees of agents: what they changed, how it gets out, what can go',
  examples: [
    ['worktrees', 'list them, with what each takes and which can go'],
    ['worktrees diff reviewer', 'what has changed in one'],
    ['worktrees merge reviewer', 'into the branch it began at'],
  ],
  commands: {
    list: listWorktrees,
    show: showWorktree,
    diff: diffWorktree,
    patch: patchWorktree,
    commit: commitWorktree,
    merge: mergeWorktree,
    remove: removeWorktree,
    prune: pruneWorktrees,
    'set-up': setUpWorktrees,
  },
}
