/** `holdfast coordinators`: the machines that run agents. */
import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { listCoordinators, takeOver } from './process-commands.ts'

export const coordinators: CommandSpec = {
  name: 'coordinators',
  summary: 'Machines that run agents: which can be reached',
  examples: [
    ['coordinators', 'list them'],
    ['coordinators take-over old-laptop', 'one that will not come back'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the coordinators, the one that joined last first (the default)',
      options: [limitOption],
      examples: [['coordinators list', 'state, processes, and when each was last heard of']],
      isDefault: true,
      run: listCoordinators,
    },
    {
      name: 'take-over',
      summary: 'Give up a coordinator that will not come back; its work goes to others',
      operands: [{ name: 'coordinator', about: 'its id, or its machine where only one has it' }],
      options: [yesOption],
      examples: [['coordinators take-over old-laptop --yes', 'without being asked']],
      run: takeOver,
    },
  ],
}
