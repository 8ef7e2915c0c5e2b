/** `holdfast projects`: the projects agents work on. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isSettingKey, settingRules } from '../../domain/projects/settings.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { isolationFrom, isolationOptions } from '../agents/agents.ts'
import { command, defined, group, options } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findProject } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { fields } from '../table.ts'
import { chooseProject } from './choose-project.ts'

/** Options `--set chat.soft_timeout_minutes=0.5` and `--unset chat.soft_timeout_minutes`. The server checks ranges. */
const settingOptions = options`
  --set <key=value>...  change a setting
  --unset <key>...  take a setting back to its default`

function settingChange(
  context: CommandContext,
): Record<string, number | string | null> | undefined {
  const change: Record<string, number | string | null> = {}
  for (const text of context.values('set') ?? []) {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1)
      throw usage(
        `--set ${text} has no value.`,
        'Write --set KEY=VALUE; --unset KEY takes it back to its default.',
      )
    const value = text.slice(at + 1)
    change[text.slice(0, at)] = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value)
      ? Number(value)
      : value
  }
  for (const key of context.values('unset') ?? []) change[key] = null
  return Object.keys(change).length > 0 ? change : undefined
}

async function listProjects(context: CommandContext): Promise<void> {
  await context.printList(context.client.pages('/api/projects'), {
    empty: 'No projects yet. Make one: holdfast projects create NAME --path DIR',
    columns: [
      { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
      { title: 'ID', of: (each) => each.id },
      { title: 'AGENTS', of: (each) => each.agentIds.join(', ') || '–', shrinks: true },
      { title: 'CREATED', of: (each) => context.ago(each.createdAt), style: 'dim' },
      { title: 'PATH', of: shownPath, shrinks: true },
    ],
  })
}

async function showProject(context: CommandContext): Promise<void> {
  const typed = context.optionalOperand(0)
  const project =
    typed === undefined ? await chooseProject(context) : await findProject(context.client, typed)
  context.answer(project, () => describe(context, project, context.flag('all')))
}

async function create(context: CommandContext): Promise<void> {
  const path = context.text('path')
  const body = {
    name: context.operand(0),
    path: path ? folder(context, path) : undefined,
    settings: settingChange(context),
  }
  const project = await context.client.post('/api/projects', { body })
  context.done(`Created the project ${context.paint('bold', visible(project.name))}`)
  context.answer(project, () => describe(context, project, false))
}

async function edit(context: CommandContext): Promise<void> {
  const path = context.textOrNull('path')
  const settings = settingChange(context)
  const body = defined({
    name: context.text('name'),
    path: path ? folder(context, path) : path,
    settings,
  })
  if (Object.keys(body).length === 0)
    throw usage('There is nothing to change.', 'Use --name, --path, --set or --unset.')
  const { id } = await findProject(context.client, context.operand(0))
  const project = await context.client.patch('/api/projects/{projectId}', {
    params: { projectId: id },
    body,
  })
  context.done(`Changed the project ${context.paint('bold', visible(project.name))}`)
  context.answer(project, () => describe(context, project, false))
}

async function remove(context: CommandContext): Promise<void> {
  const { id, name } = await findProject(context.client, context.operand(0))
  await context.confirm(
    `Delete the project ${visible(name)}?`,
    'Its settings and assignments are lost; its folder and its files stay.',
  )
  await context.client.delete('/api/projects/{projectId}', { params: { projectId: id } })
  context.finished({ id, deleted: true }, `Deleted the project ${visible(name)}`)
}

async function assign(context: CommandContext): Promise<void> {
  const { id } = await findProject(context.client, context.operand(0))
  const params = { projectId: id, agentId: context.operand(1) }
  const body = isolationFrom(context)
  const project = await context.client.put('/api/projects/{projectId}/agents/{agentId}', {
    params,
    body,
  })
  context.finished(project, `${visible(params.agentId)} is assigned to ${visible(project.name)}`)
}

async function unassign(context: CommandContext): Promise<void> {
  const { id, name } = await findProject(context.client, context.operand(0))
  const params = { projectId: id, agentId: context.operand(1) }
  await context.client.delete('/api/projects/{projectId}/agents/{agentId}', { params })
  context.finished(
    { ...params, unassigned: true },
    `${visible(params.agentId)} is off ${visible(name)}`,
  )
}

/** Makes a path absolute, because the server may be another machine. Shells do not expand ~ in --path=~/x. */
const folder = (context: CommandContext, path: string): string =>
  path === '~' || path.startsWith('~/')
    ? join(homedir(), path.slice(1))
    : resolve(context.terminal.cwd, path)

/** Shows the path of a project and what is wrong with it. */
const shownPath = ({ path, folder = 'found' }: Project): string =>
  path === null ? '–' : folder === 'found' ? path : `${path} (${folder.replaceAll('_', ' ')})`

function describe(context: CommandContext, project: Project, all: boolean): string {
  const { paint } = context
  const settings = Object.entries(project.settings)
    .map(([key, value]) => ({
      key,
      value,
      fallback: isSettingKey(key) ? settingRules[key].fallback : undefined,
    }))
    .filter(({ value, fallback }) => all || value !== fallback)
    .map(({ key, value, fallback }): [string, string] => [
      key,
      value === fallback
        ? String(value)
        : `${paint('bold', String(value))}${fallback === undefined ? '' : paint('dim', `  default ${fallback}`)}`,
    ])
  const chosen =
    settings.length > 0
      ? fields(settings, paint, '    ')
      : paint('dim', '    all have their defaults; --all shows them')
  return context.details(
    project.name,
    [
      ['Id', project.id],
      ['Path', visible(shownPath(project))],
      ['Agents', project.agentIds.join(', ') || '–'],
      ['Created', context.time(project.createdAt)],
      ['Changed', context.time(project.updatedAt)],
    ],
    `  ${paint('dim', 'Settings')}`,
    chosen,
  )
}

const project = { name: 'project', about: 'its id, or its name where only one has it' }
const agent = { name: 'agent', about: 'id of the agent' }

export const projects = group`
  Projects, their settings and their agents
  $ projects  list them
  $ projects create website --path ~/website  make one of a folder
  $ projects edit website --set chat.soft_timeout_minutes=0.5  change a setting
`({
  list: command(listProjects, limitOption)`
    List the projects, newest first (the default)
    $ projects list  all of them
    $ projects list --json  for a program`,
  show: command(showProject)`
    Show one project with its settings
    [project]  ${project.about}; left out, the one of this folder
    --all  also the settings that have their default
    $ projects show website  what it is and what was chosen
    $ projects show  the project of the folder you are in
    $ projects show website --all  every setting`,
  create: command(create)`
    Create a project
    <name>  what to call it
    --path <folder>  folder of the repository, on the machine that runs the agents
    ${settingOptions}
    $ projects create website --path ~/website  a project of a repository
    $ projects create notes --set permission.policy=allow_reads  with a setting`,
  edit: command(edit, project)`
    Change the name, the path or settings of a project
    --name <name>  a new name
    --path <folder>  another folder
    --no-path  no folder any more
    ${settingOptions}
    $ projects edit website --name site  rename it
    $ projects edit site --set turn.max_minutes=30 --unset restart.max  change one setting, reset another`,
  delete: command(remove, project, yesOption)`
    Delete a project; its folder and its files stay
    $ projects delete website --yes  without being asked`,
  assign: command(assign, project, agent, ...isolationOptions)`
    Assign an agent to a project
    $ projects assign website claude  claude may work on it
    $ projects assign website claude --sandbox strict --allow-host api.example.com  there it reaches this host alone`,
  unassign: command(unassign, project, agent)`
    Take an agent off a project
    $ projects unassign website claude  claude may no longer work on it`,
})
