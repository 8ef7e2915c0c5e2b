/** `holdfast sessions`: work sessions, their state, and which was resumed from which (WK3). */

import type { CommandSpec } from '../command.ts'
import { limitOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { checkpoint, dismiss, end, listWorkSessions, showWorkSession } from './work-session-commands.ts'

const operand = { name: 'session', about: 'id of the work session' }

export const workSessions: CommandSpec = {
  name: 'sessions',
  summary: 'Work sessions of a project, and who was resumed from whom',
  examples: [
    ['sessions', 'those of the only project, as a tree'],
    ['sessions show sess_20260115143000_x1y2z3', 'everything about one'],
    ['resume sess_20260115143000_x1y2z3', 'take an interrupted one up'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List work sessions as a tree (the default)',
      options: [
        projectOption,
        { flags: '--state <state>', about: 'only these', choices: ['running', 'interrupted', 'completed'] },
        limitOption,
      ],
      examples: [
        ['sessions list --project website', 'all of them'],
        ['sessions list --state interrupted --json', 'what could be taken up, for a program'],
      ],
      isDefault: true,
      run: listWorkSessions,
    },
    {
      name: 'show',
      summary: 'Show one: tasks, approvals, approaches, checkpoints, artifacts',
      operands: [operand],
      options: [projectOption],
      examples: [['sessions show sess_20260115143000_x1y2z3', 'how it stands, and what it knows']],
      run: showWorkSession,
    },
    {
      name: 'checkpoint',
      summary: 'Save the state of one now, and say where',
      operands: [operand],
      options: [projectOption, { flags: '--summary <text>', about: 'how the work stands, in your words' }],
      examples: [['sessions checkpoint sess_20260115143000_x1y2z3', 'prints the path of its file']],
      run: checkpoint,
    },
    {
      name: 'end',
      summary: 'End one: completed, or interrupted with a reason',
      operands: [operand],
      options: [projectOption, { flags: '--reason <word>', about: 'why it is interrupted; left out, it is completed' }],
      examples: [
        ['sessions end sess_20260115143000_x1y2z3', 'it is done'],
        ['sessions end sess_20260115143000_x1y2z3 --reason lunch', 'it can be resumed later'],
      ],
      run: end,
    },
    {
      name: 'dismiss',
      summary: 'Take an interrupted one off the list of what was interrupted; it can be resumed all the same',
      operands: [operand],
      options: [projectOption],
      examples: [['sessions dismiss sess_20260115143000_x1y2z3', 'nobody is reminded of it any more']],
      run: dismiss,
    },
  ],
}
