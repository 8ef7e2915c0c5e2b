/** Implementation of the commands under `holdfast projects`. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { isSettingKey, settingRules } from '../../domain/projects/settings.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { isolationFrom } from '../agents/agent-commands.ts'
import type { CommandOption, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { fields, table } from '../table.ts'
import { exact, relative } from '../times.ts'
import { chooseProject } from './choose-project.ts'

/** Options `--set chat.soft_timeout_minutes=0.5` and `--unset chat.soft_timeout_minutes`. The server checks ranges. */
export const settingOptions: readonly CommandOption[] = [
  { flags: '--set <key=value>', about: 'change a setting', many: true },
  { flags: '--unset <key>', about: 'take a setting back to its default', many: true },
]

function settingChange(given: Given): Record<string, number | string | null> | undefined {
  const change: Record<string, number | string | null> = {}
  for (const text of given.list('set')) {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1)
      throw usage(`--set ${text} has no value.`, 'Write --set KEY=VALUE; --unset KEY takes it back to its default.')
    const value = text.slice(at + 1)
    change[text.slice(0, at)] = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : value
  }
  for (const key of given.list('unset')) change[key] = null
  return Object.keys(change).length > 0 ? change : undefined
}

const pageSize = { query: { limit: 200 } }

export async function listProjects(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items, nextCursor, more } = await context.list(client.pages('/api/projects', pageSize))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () => {
    if (items.length === 0) return context.hint('No projects yet. Make one: holdfast projects create NAME --path DIR')
    return table(
      items,
      [
        { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
        { title: 'ID', of: (each) => each.id },
        { title: 'AGENTS', of: (each) => each.agentIds.join(', ') || '–', shrinks: true },
        { title: 'CREATED', of: (each) => relative(each.createdAt, now), style: 'dim' },
        { title: 'PATH', of: shownPath, shrinks: true },
      ],
      context.paint,
      context.width,
    )
  })
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

export async function showProject(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const typed = given.optionalOperand(0)
  const project = typed === undefined ? await chooseProject(context, given) : await findProject(client, typed)
  context.answer(project, () => describe(context, project, given.flag('all')))
}

export async function create(context: CommandContext, given: Given): Promise<void> {
  const path = given.text('path')
  const settings = settingChange(given)
  const client = await context.client()
  const body = { name: given.operand(0), ...(path ? { path: folder(context, path) } : {}), ...(settings ? { settings } : {}) }
  const project = await client.post('/api/projects', { body })
  context.done(`Created the project ${context.paint('bold', visible(project.name))}`)
  context.answer(project, () => describe(context, project, false))
}

export async function edit(context: CommandContext, given: Given): Promise<void> {
  const [name, path, settings] = [given.text('name'), given.raw('path'), settingChange(given)]
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(path === false ? { path: null } : typeof path === 'string' ? { path: folder(context, path) } : {}),
    ...(settings ? { settings } : {}),
  }
  if (Object.keys(body).length === 0) throw usage('There is nothing to change.', 'Use --name, --path, --set or --unset.')
  const client = await context.client()
  const { id } = await findProject(client, given.operand(0))
  const project = await client.patch('/api/projects/{projectId}', { params: { projectId: id }, body })
  context.done(`Changed the project ${context.paint('bold', visible(project.name))}`)
  context.answer(project, () => describe(context, project, false))
}

export async function remove(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, name } = await findProject(client, given.operand(0))
  await context.confirm(
    `Delete the project ${visible(name)}?`,
    'Its settings and assignments are lost; its folder and its files stay.',
  )
  await client.delete('/api/projects/{projectId}', { params: { projectId: id } })
  context.finished({ id, deleted: true }, `Deleted the project ${visible(name)}`)
}

export async function assign(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id } = await findProject(client, given.operand(0))
  const params = { projectId: id, agentId: given.operand(1) }
  const body = isolationFrom(context, given)
  const project = await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body })
  context.finished(project, `${visible(params.agentId)} is assigned to ${visible(project.name)}`)
}

export async function unassign(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, name } = await findProject(client, given.operand(0))
  const params = { projectId: id, agentId: given.operand(1) }
  await client.delete('/api/projects/{projectId}/agents/{agentId}', { params })
  context.finished({ ...params, unassigned: true }, `${visible(params.agentId)} is off ${visible(name)}`)
}

const findProject = (client: Client, typed: string): Promise<Project> =>
  findByName('project', typed, client.pages('/api/projects', pageSize))

/** Makes a path absolute, because the server may be another machine. Shells do not expand ~ in --path=~/x. */
const folder = (context: CommandContext, path: string): string =>
  path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(context.terminal.cwd, path)

/** Shows the path of a project and what is wrong with it. */
const shownPath = ({ path, folder = 'found' }: Project): string =>
  path === null ? '–' : folder === 'found' ? path : `${path} (${folder.replaceAll('_', ' ')})`

function describe(context: CommandContext, project: Project, all: boolean): string {
  const { paint } = context
  const now = systemClock.now()
  const about = fields(
    [
      ['Id', project.id],
      ['Path', visible(shownPath(project))],
      ['Agents', project.agentIds.join(', ') || '–'],
      ['Created', exact(project.createdAt, now)],
      ['Changed', exact(project.updatedAt, now)],
    ],
    paint,
  )
  const settings = Object.entries(project.settings)
    .map(([key, value]) => ({ key, value, fallback: isSettingKey(key) ? settingRules[key].fallback : undefined }))
    .filter(({ value, fallback }) => all || value !== fallback)
    .map(({ key, value, fallback }): [string, string] => [
      key,
      value === fallback
        ? String(value)
        : `${paint('bold', String(value))}${fallback === undefined ? '' : paint('dim', `  default ${fallback}`)}`,
    ])
  const chosen =
    settings.length > 0 ? fields(settings, paint, '    ') : paint('dim', '    all have their defaults; --all shows them')
  return `${paint('bold', visible(project.name))}\n${about}\n  ${paint('dim', 'Settings')}\n${chosen}`
}
