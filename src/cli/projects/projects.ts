/** `holdfast projects`: the projects agents work on. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { isSettingKey, settingRules } from '../../domain/projects/settings.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { isolationFrom, isolationOptions } from '../agents/agent-options.ts'
import { type CommandSpec, command, defined, type Given, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findProject } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { fields } from '../table.ts'
import { chooseProject } from './choose-project.ts'

const project = operand.required('its id, or its name where only one has it')

const agent = operand.required('id of the agent')

/**
 * Options `--set chat.soft_timeout_minutes=0.5` and `--unset chat.soft_timeout_minutes`. The server
 * checks ranges.
 */
const settingOptions = {
  set: option.list('<key=value>', 'change a setting'),
  unset: option.list('<key>', 'take a setting back to its default'),
}

function settingChange({
  set = [],
  unset = [],
}: Given<typeof settingOptions>): Record<string, number | string | null> | undefined {
  const change: Record<string, number | string | null> = {}
  for (const text of set) {
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
  for (const key of unset) change[key] = null
  return Object.keys(change).length > 0 ? change : undefined
}

const listProjects = command({
  summary: 'List the projects, newest first (the default)',
  options: { limit: limitOption },
  examples: [
    ['projects list', 'all of them'],
    ['projects list --json', 'for a program'],
  ],
  async run(context) {
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
  },
})

const showProject = command({
  summary: 'Show one project with its settings',
  operands: { project: operand.optional(`${project.about}; left out, the one of this folder`) },
  options: { all: option.flag('also the settings that have their default') },
  examples: [
    ['projects show website', 'what it is and what was chosen'],
    ['projects show', 'the project of the folder you are in'],
    ['projects show website --all', 'every setting'],
  ],
  async run(context, given) {
    const typed = given.project
    const project =
      typed === undefined ? await chooseProject(context) : await findProject(context.client, typed)
    context.answer(project, () => describe(context, project, given.all))
  },
})

const create = command({
  summary: 'Create a project',
  operands: { name: operand.required('what to call it') },
  options: {
    path: option.text('<folder>', 'folder of the repository, on the machine that runs the agents'),
    ...settingOptions,
  },
  examples: [
    ['projects create website --path ~/website', 'a project of a repository'],
    ['projects create notes --set permission.policy=allow_reads', 'with a setting'],
  ],
  async run(context, given) {
    const path = given.path
    const body = {
      name: given.name,
      path: path ? folder(context, path) : undefined,
      settings: settingChange(given),
    }
    const project = await context.client.post('/api/projects', { body })
    context.done(`Created the project ${context.paint('bold', visible(project.name))}`)
    context.answer(project, () => describe(context, project, false))
  },
})

const edit = command({
  summary: 'Change the name, the path or settings of a project',
  operands: { project },
  options: {
    name: option.text('<name>', 'a new name'),
    path: option.text('<folder>', 'another folder'),
    noPath: option.flag('no folder any more'),
    ...settingOptions,
  },
  examples: [
    ['projects edit website --name site', 'rename it'],
    [
      'projects edit site --set turn.max_minutes=30 --unset restart.max',
      'change one setting, reset another',
    ],
  ],
  async run(context, given) {
    const path = given.noPath ? null : given.path
    const settings = settingChange(given)
    const body = defined({
      name: given.name,
      path: path ? folder(context, path) : path,
      settings,
    })
    if (Object.keys(body).length === 0)
      throw usage('There is nothing to change.', 'Use --name, --path, --set or --unset.')
    const { id } = await findProject(context.client, given.project)
    const project = await context.client.patch('/api/projects/{projectId}', {
      params: { projectId: id },
      body,
    })
    context.done(`Changed the project ${context.paint('bold', visible(project.name))}`)
    context.answer(project, () => describe(context, project, false))
  },
})

const remove = command({
  summary: 'Delete a project; its folder and its files stay',
  operands: { project },
  options: { yes: yesOption },
  examples: [['projects delete website --yes', 'without being asked']],
  async run(context, given) {
    const { id, name } = await findProject(context.client, given.project)
    await context.confirm(
      `Delete the project ${visible(name)}?`,
      'Its settings and assignments are lost; its folder and its files stay.',
    )
    await context.client.delete('/api/projects/{projectId}', { params: { projectId: id } })
    context.finished({ id, deleted: true }, `Deleted the project ${visible(name)}`)
  },
})

const assign = command({
  summary: 'Assign an agent to a project',
  operands: { project, agent },
  options: { ...isolationOptions },
  examples: [
    ['projects assign website claude', 'claude may work on it'],
    [
      'projects assign website claude --sandbox strict --allow-host api.example.com',
      'there it reaches this host alone',
    ],
  ],
  async run(context, given) {
    const { id } = await findProject(context.client, given.project)
    const params = { projectId: id, agentId: given.agent }
    const body = isolationFrom(context, given)
    const project = await context.client.put('/api/projects/{projectId}/agents/{agentId}', {
      params,
      body,
    })
    context.finished(project, `${visible(params.agentId)} is assigned to ${visible(project.name)}`)
  },
})

const unassign = command({
  summary: 'Take an agent off a project',
  operands: { project, agent },
  examples: [['projects unassign website claude', 'claude may no longer work on it']],
  async run(context, given) {
    const { id, name } = await findProject(context.client, given.project)
    const params = { projectId: id, agentId: given.agent }
    await context.client.delete('/api/projects/{projectId}/agents/{agentId}', { params })
    context.finished(
      { ...params, unassigned: true },
      `${visible(params.agentId)} is off ${visible(name)}`,
    )
  },
})

/**
 * Makes a path absolute, because the server may be another machine. Shells do not expand ~ in
 * --path=~/x.
 */
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

export const projects: CommandSpec = {
  summary: 'Projects, their settings and their agents',
  examples: [
    ['projects', 'list them'],
    ['projects create website --path ~/website', 'make one of a folder'],
    ['projects edit website --set chat.soft_timeout_minutes=0.5', 'change a setting'],
  ],
  commands: {
    list: listProjects,
    show: showProject,
    create,
    edit,
    delete: remove,
    assign,
    unassign,
  },
}
