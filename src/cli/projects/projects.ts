/** `holdfast projects`: the projects agents work on. */
import { isolationOptions } from '../agents/agents.ts'
import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { assign, create, edit, listProjects, remove, settingOptions, showProject, unassign } from './project-commands.ts'

const project = { name: 'project', about: 'its id, or its name where only one has it' }
const agent = { name: 'agent', about: 'id of the agent' }

export const projects: CommandSpec = {
  name: 'projects',
  summary: 'Projects, their settings and their agents',
  examples: [
    ['projects', 'list them'],
    ['projects create website --path ~/website', 'make one of a folder'],
    ['projects edit website --set chat.soft_timeout_minutes=0.5', 'change a setting'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the projects, newest first (the default)',
      options: [limitOption],
      examples: [
        ['projects list', 'all of them'],
        ['projects list --json', 'for a program'],
      ],
      isDefault: true,
      run: listProjects,
    },
    {
      name: 'show',
      summary: 'Show one project with its settings',
      operands: [{ name: '[project]', about: `${project.about}; left out, the one of this folder` }],
      options: [{ flags: '--all', about: 'also the settings that have their default' }],
      examples: [
        ['projects show website', 'what it is and what was chosen'],
        ['projects show', 'the project of the folder you are in'],
        ['projects show website --all', 'every setting'],
      ],
      run: showProject,
    },
    {
      name: 'create',
      summary: 'Create a project',
      operands: [{ name: 'name', about: 'what to call it' }],
      options: [
        { flags: '--path <folder>', about: 'folder of the repository, on the machine that runs the agents', value: 'folder' },
        ...settingOptions,
      ],
      examples: [
        ['projects create website --path ~/website', 'a project of a repository'],
        ['projects create notes --set permission.policy=allow_reads', 'with a setting'],
      ],
      run: create,
    },
    {
      name: 'edit',
      summary: 'Change the name, the path or settings of a project',
      operands: [project],
      options: [
        { flags: '--name <name>', about: 'a new name' },
        { flags: '--path <folder>', about: 'another folder', value: 'folder' },
        { flags: '--no-path', about: 'no folder any more' },
        ...settingOptions,
      ],
      examples: [
        ['projects edit website --name site', 'rename it'],
        ['projects edit site --set turn.max_minutes=30 --unset restart.max', 'change one setting, reset another'],
      ],
      run: edit,
    },
    {
      name: 'delete',
      summary: 'Delete a project; its folder and its files stay',
      operands: [project],
      options: [yesOption],
      examples: [['projects delete website --yes', 'without being asked']],
      run: remove,
    },
    {
      name: 'assign',
      summary: 'Assign an agent to a project',
      operands: [project, agent],
      options: isolationOptions,
      examples: [
        ['projects assign website claude', 'claude may work on it'],
        ['projects assign website claude --sandbox strict --allow-host api.example.com', 'there it reaches this host alone'],
      ],
      run: assign,
    },
    {
      name: 'unassign',
      summary: 'Take an agent off a project',
      operands: [project, agent],
      examples: [['projects unassign website claude', 'claude may no longer work on it']],
      run: unassign,
    },
  ],
}
