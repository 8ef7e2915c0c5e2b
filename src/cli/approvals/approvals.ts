/** `holdfast approvals`: decisions that agents wait for (AP). */

import type { CommandOption, CommandSpec } from '../command.ts'
import { limitOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { alwaysOptions, listAllowed, revoke } from './allowance-commands.ts'
import { decideApproval, listApprovals, showApproval } from './approval-commands.ts'

const number = { name: 'number', about: 'number of the approval' }
const feedback: CommandOption = { flags: '--feedback <text>', about: 'what to tell the agent' }

export const approvals: CommandSpec = {
  name: 'approvals',
  summary: 'Approvals: what agents wait for a person to decide',
  examples: [
    ['approvals', 'the inbox: what waits, oldest first'],
    ['approvals approve 7', 'say yes; the agent goes on at once'],
    ['approvals revise 7 --feedback "smaller steps, please"', 'send it back'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List what waits for a decision in any project, oldest first (the default)',
      options: [projectOption, { flags: '--all', about: 'of a project, decided ones too, newest first' }, limitOption],
      examples: [
        ['approvals list', 'the inbox'],
        ['approvals list --project website --all', 'what was asked in a project, and what was decided'],
      ],
      isDefault: true,
      run: listApprovals,
    },
    {
      name: 'show',
      summary: 'Show one approval in full',
      operands: [number],
      options: [projectOption],
      examples: [['approvals show 7', 'what is asked, and how it was revised before']],
      run: showApproval,
    },
    {
      name: 'approve',
      summary: 'Approve it; the first decision stands',
      operands: [number],
      options: [feedback, ...alwaysOptions, projectOption],
      examples: [
        ['approvals approve 7', 'the agent goes on'],
        ['approvals approve 7 --always --for 1d', 'and is not asked for exactly this again until tomorrow'],
      ],
      run: decideApproval('approved'),
    },
    {
      name: 'reject',
      summary: 'Reject it; the first decision stands',
      operands: [number],
      options: [feedback, projectOption],
      examples: [['approvals reject 7 --feedback "not on a Friday"', 'the agent is told why']],
      run: decideApproval('rejected'),
    },
    {
      name: 'revise',
      summary: 'Send it back to be revised; it comes again when it is resubmitted',
      operands: [number],
      options: [feedback, projectOption],
      examples: [['approvals revise 7 --feedback "smaller steps, please"', 'says what to change']],
      run: decideApproval('revision_requested'),
    },
    {
      name: 'allowed',
      summary: 'List what agents are always allowed in a project',
      options: [projectOption, { flags: '--all', about: 'what has ended too' }, limitOption],
      examples: [['approvals allowed', 'what is answered without asking, until when, and who said so']],
      run: listAllowed,
    },
    {
      name: 'revoke',
      summary: 'Take back what an agent is always allowed; the next time it asks',
      operands: [{ name: 'id', about: 'id of the allowance, or its beginning' }],
      options: [projectOption],
      examples: [['approvals revoke 0196f3a2', 'ids are shown by `approvals allowed`']],
      run: revoke,
    },
  ],
}
