/** `holdfast processes`: running processes, and why others ended. */

import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { listProcesses, showProcess, stopProcess } from './process-commands.ts'

const launch = { name: 'launch', about: 'its launch id' }

export const processes: CommandSpec = {
  name: 'processes',
  summary: 'Processes of agents: what runs, and why the rest ended',
  examples: [
    ['processes', 'list them, newest first'],
    ['processes show LAUNCH', 'one of them, with the last lines it wrote'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the processes, newest first (the default)',
      options: [
        projectOption,
        { flags: '--agent <agent>', about: 'only of this agent, by its id' },
        {
          flags: '--state <state>',
          about: 'only in this state',
          choices: ['waiting', 'starting', 'running', 'held', 'ended'],
        },
        limitOption,
      ],
      examples: [
        ['processes list --state running', 'what runs now'],
        ['processes list --agent claude --json', 'for a program'],
      ],
      isDefault: true,
      run: listProcesses,
    },
    {
      name: 'show',
      summary: 'Show one process with the last lines it wrote',
      operands: [launch],
      examples: [['processes show 01a1df6c-85eb-7d00-b850-eb617d850884', 'how it stands or why it ended']],
      run: showProcess,
    },
    {
      name: 'stop',
      summary: 'Stop one process, with everything it has started',
      operands: [launch],
      options: [yesOption],
      examples: [['processes stop 01a1df6c-85eb-7d00-b850-eb617d850884 --yes', 'without being asked']],
      run: stopProcess,
    },
  ],
}
