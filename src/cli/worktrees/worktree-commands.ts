/** Implementation of the commands about worktrees. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Client, ProblemError } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { ListedWorktree, Losses, Worktree } from '../../protocol/worktrees/worktree.ts'
import { counted, size } from '../amounts.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure } from '../failure.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { fields, table } from '../table.ts'
import { relative } from '../times.ts'
import { lossesInWords } from './losses-text.ts'

const pageSize = 200
const many = '/api/projects/{projectId}/worktrees'
const one = `${many}/{worktreeId}` as const
const patchWithinMs = 60_000

export async function listWorktrees(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const pages = client.pages(many, { params: { projectId }, query: { limit: pageSize, look: true } })
  const { items, nextCursor, more } = await context.list(pages)
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint(
          'There is no worktree. An agent in a role of a console gets one: `holdfast run`, or the console in the page.',
        )
      : `${table(
          items,
          [
            { title: 'ROLE', of: ({ role }) => visible(role), style: 'bold' },
            { title: 'BRANCH', of: ({ branch, note }) => visible(branch ?? note ?? '–'), shrinks: true },
            { title: 'CHANGES', of: changesOf },
            { title: 'DISK', of: ({ look }) => (look ? `${look.disk.complete ? '' : '≥ '}${size(look.disk.bytes)}` : '–') },
            { title: 'CAN GO', of: ({ look, trouble }) => (look ? canGo[look.canGo] : (trouble ?? '–')) },
            { title: 'USED', of: ({ lastUsedAt }) => relative(lastUsedAt, now) },
            { title: 'ID', of: ({ id }) => id, style: 'dim' },
          ],
          context.paint,
          context.width,
        )}\n${size(items.reduce((sum, { look }) => sum + (look?.disk.bytes ?? 0), 0))} in all`,
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

const canGo = { yes: 'yes', would_lose: 'holds work', in_use: 'in use', gone: 'not there', refused: 'no' } as const

function changesOf({ look, kind }: ListedWorktree): string {
  if (!look || kind === 'plain') return '–'
  const ahead = look.ahead === null ? '' : `+${look.ahead}`
  const behind = look.behind === null || look.behind === 0 ? '' : ` −${look.behind}`
  return `${ahead}${behind} ${counted(look.fileCount, 'file')}`.trim()
}

async function find(context: CommandContext, client: Client, given: Given): Promise<Worktree> {
  const { id: projectId } = await chooseProject(context, given)
  const typed = given.operand(0)
  const found: Worktree[] = []
  for await (const each of client.pages(many, { params: { projectId }, query: { limit: pageSize } }))
    if (each.id === typed || each.branch === typed || each.role === typed) found.push(each)
  const [only, ...others] = found
  if (!only) throw new CommandFailure('notFound', `There is no worktree ${visible(typed)}.`, '`holdfast worktrees` lists them.')
  if (others.length > 0)
    throw new CommandFailure(
      'usage',
      `Several worktrees are called ${visible(typed)}.`,
      'Use the id that `holdfast worktrees` shows.',
    )
  return only
}

const paramsOf = ({ projectId, id }: Worktree) => ({ projectId, worktreeId: id })

export async function showWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const found = await client.get(one, { params: paramsOf(await find(context, client, given)) })
  context.answer(found, () => {
    const { worktree, state } = found
    const about = fields(
      [
        ['Role', visible(worktree.role)],
        ['Folder', visible(worktree.folder)],
        ...(state
          ? ([
              ['Branch', visible(state.branch ?? 'between branches')],
              ['Ahead', state.ahead === null ? '–' : String(state.ahead)],
              ['Behind', state.behind === null ? '–' : String(state.behind)],
              ['Not committed', counted(state.uncommitted, 'file')],
              ...(state.command === null ? [] : [['Command', visible(state.command)] as const]),
            ] as const)
          : ([['Note', visible(worktree.note ?? 'It has no state.')]] as const)),
        ...(worktree.setUp?.outcome ? [['Set-up', worktree.setUp.outcome] as const] : []),
      ],
      context.paint,
    )
    const files = (state?.files ?? []).map(({ path, change }) => `  ${change.padEnd(10)} ${visible(path)}`)
    return [about, ...files].join('\n')
  })
}

export async function diffWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const path = given.text('file')
  const query = path === undefined ? {} : { path }
  const diff = await client.get(`${one}/diff`, { params: paramsOf(await find(context, client, given)), query })
  context.answer(diff, () =>
    diff.text === '' ? 'Nothing has changed.' : diff.text.trimEnd().split('\n').map(visible).join('\n'),
  )
  if (diff.cut && !context.json) context.note('There is more than is shown; worktrees patch has all of it.')
}

/** Writes the patch byte by byte, for git. */
export async function patchWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { projectId, worktreeId } = paramsOf(await find(context, client, given))
  const path = `/api/projects/${encodeURIComponent(projectId)}/worktrees/${encodeURIComponent(worktreeId)}/patch`
  const response = await client.open(path, { signal: AbortSignal.timeout(patchWithinMs) })
  if (!response.ok) throw new ProblemError(await response.json())
  const bytes = Buffer.from(await response.arrayBuffer())
  const file = given.text('out')
  if (file === undefined) {
    const text = bytes.toString()
    if (!Buffer.from(text).equals(bytes))
      throw new CommandFailure(
        'usage',
        'This patch holds bytes that are no text.',
        'Add --out FILE to have it written byte by byte.',
      )
    return void context.terminal.stdout.write(text)
  }
  await writeFile(resolve(context.terminal.cwd, file), bytes)
  context.finished({ file, bytes: bytes.length }, `${size(bytes.length)} written to ${visible(file)}`)
}

export async function commitWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const message = given.text('message')
  const params = paramsOf(await find(context, client, given))
  const done = await client.post(`${one}/commit`, { params, body: message === undefined ? {} : { message } })
  const words =
    done.commit === null
      ? 'There was nothing to commit'
      : `${counted(done.files, 'file')} committed as ${done.commit.slice(0, 10)}`
  context.finished(done, words)
}

export async function mergeWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const branch = given.text('into')
  const body = { ...(branch !== undefined && { branch }), how: given.flag('rebase') ? ('rebase' as const) : ('merge' as const) }
  const params = paramsOf(await find(context, client, given))
  try {
    const done = await client.post(`${one}/merge`, { params, body })
    context.finished(
      done,
      done.outcome === 'done' ? `It is in ${visible(done.branch)} now` : `${visible(done.branch)} has it all already`,
    )
  } catch (error) {
    const { files, command, reason } = fieldsOf(error)
    if (!context.json && reason === 'uncommitted')
      context.note(context.hint(`First: holdfast worktrees commit ${visible(given.operand(0))}`))
    if (!context.json && Array.isArray(files))
      context.note(`Conflicts in: ${files.map((each) => visible(String(each))).join(', ')}`)
    if (!context.json && typeof command === 'string') context.note(`To resolve them yourself: ${visible(command)}`)
    throw error
  }
}

const fieldsOf = (error: unknown): Readonly<Record<string, unknown>> =>
  error instanceof ProblemError ? { ...error.problem } : {}

export async function removeWorktree(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const worktree = await find(context, client, given)
  const params = paramsOf(worktree)
  const name = visible(worktree.branch ?? worktree.folder)
  try {
    await client.delete(one, { params, query: {} })
  } catch (error) {
    const losses = fieldsOf(error)['losses'] as Losses | undefined
    if (!losses) throw error
    const { files, commits } = losses
    const shown = { ...losses, files: files.map(({ path }) => path), commits: commits.map(({ subject }) => subject) }
    const words = lossesInWords({ ...shown, fileCount: files.length, commitCount: commits.length })
    await context.confirm(`Remove ${name}?`, `Lost for good: ${words}.`)
    await client.delete(one, { params, query: { confirm: losses.digest } })
  }
  context.finished({ removed: worktree.id }, `${name} is removed`)
}

export async function setUpWorktrees(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const path = '/api/projects/{projectId}/set-up'
  const [command, copy] = [given.text('command'), given.text('copy')]
  const known = await client.get(path, { params: { projectId } })
  const isChange = command !== undefined || copy !== undefined || given.flag('none')
  const wanted = given.flag('none')
    ? { command: null, copy: [] }
    : {
        command: command === undefined ? known.command : command.split(' ').filter((word) => word !== ''),
        copy:
          copy === undefined
            ? known.copy
            : copy
                .split(',')
                .map((each) => each.trim())
                .filter((each) => each !== ''),
      }
  const setUp = isChange ? await client.put(path, { params: { projectId }, body: wanted }) : known
  context.answer(setUp, () =>
    fields(
      [
        ['Command', setUp.command === null ? 'none' : visible(setUp.command.join(' '))],
        ['Copied', setUp.copy.length === 0 ? 'nothing' : visible(setUp.copy.join(', '))],
      ],
      context.paint,
    ),
  )
}
