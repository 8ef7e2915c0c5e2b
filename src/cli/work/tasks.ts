/** `holdfast tasks`: the tasks of a project (TK). */
import { taskStatuses } from '../../protocol/work/task.ts'
import type { CommandOption, CommandSpec } from '../command.ts'
import { limitOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { create, edit, listTasks, showTask } from './task-commands.ts'

const task = { name: 'task', about: 'id of the task' }
const dependsOn: CommandOption = {
  flags: '--depends-on <task>',
  about: 'a task that must be completed before',
  many: true,
}
const description: CommandOption = { flags: '--description <text>', about: 'what is to be done' }

export const tasks: CommandSpec = {
  name: 'tasks',
  summary: 'Tasks of a project, their agents and what they wait for',
  examples: [
    ['tasks', 'those of the only project, by phase and status'],
    ['tasks create "Write the tests" --type test --agent claude', 'give an agent something to do'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the tasks by phase and status (the default)',
      options: [
        projectOption,
        { flags: '--status <status>', about: 'only these', choices: taskStatuses },
        { flags: '--phase <number>', about: 'only those of this phase' },
        { flags: '--work-session <id>', about: 'only those of this work session' },
        limitOption,
      ],
      examples: [
        ['tasks list --project website', 'all of them'],
        ['tasks list --status blocked', 'what waits for something else'],
      ],
      isDefault: true,
      run: listTasks,
    },
    {
      name: 'show',
      summary: 'Show one task',
      operands: [task],
      options: [projectOption],
      examples: [['tasks show task_p1_test_001', 'what it is, and how far it has come']],
      run: showTask,
    },
    {
      name: 'create',
      summary: 'Create a task; blocked while one it depends on is unfinished',
      operands: [{ name: 'title', about: 'what to call it' }],
      options: [
        projectOption,
        { flags: '--type <word>', about: 'what kind of task, part of its id (task)' },
        { flags: '--phase <number>', about: 'phase of the work (1)' },
        { flags: '--agent <agent>', about: 'who is to do it' },
        dependsOn,
        description,
        {
          flags: '--work-session <id>',
          about: 'the work it belongs to (the newest that runs; else one that begins with its agent)',
        },
      ],
      examples: [
        ['tasks create "Write the tests" --type test', 'in phase 1'],
        ['tasks create "Release" --phase 2 --depends-on task_p1_test_001', 'after another'],
      ],
      run: create,
    },
    {
      name: 'edit',
      summary: 'Change a task',
      operands: [task],
      options: [
        projectOption,
        { flags: '--status <status>', about: 'where it stands', choices: taskStatuses },
        { flags: '--progress <percent>', about: 'how far it has come, 0 to 100' },
        { flags: '--agent <agent>', about: 'who is to do it' },
        { flags: '--no-agent', about: 'nobody is to do it' },
        dependsOn,
        { flags: '--result <json>', about: 'what came out of it: JSON, or words' },
        { flags: '--title <text>', about: 'a new title' },
        description,
      ],
      examples: [
        ['tasks edit task_p1_test_001 --status completed', 'what waited for it can begin'],
        ['tasks edit task_p1_test_001 --agent codex', 'give it to another'],
        ['tasks edit task_p1_test_001 --status in_progress', 'begin it, also again after it failed'],
      ],
      run: edit,
    },
  ],
}
