/** `holdfast conversations`: the message history per channel and counterpart (CV1). */
import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import {
  begin,
  flags,
  listConversations,
  remove,
  reset,
  save,
  showConversation,
  summary,
  truncate,
} from './conversation-commands.ts'

const key = { name: 'key', about: 'such as telegram:123456' }

export const conversations: CommandSpec = {
  name: 'conversations',
  summary: 'Conversations on any channel: what agents are handed of them',
  examples: [
    ['conversations', 'all of them, by channel'],
    ['conversations show telegram:123456', 'what was said last'],
    ['conversations flags telegram:123456 --set localOnly=true', 'change a flag'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the conversations by channel (the default)',
      options: [{ flags: '--channel <name>', about: 'only on this channel: web, agent, telegram …' }, limitOption],
      examples: [
        ['conversations list --channel telegram', 'those of one channel, the one touched last first'],
        ['conversations list --json', 'for a program'],
      ],
      isDefault: true,
      run: listConversations,
    },
    {
      name: 'show',
      summary: 'Show one, with the newest messages that agents are handed, or with those of a day',
      operands: [key],
      options: [
        { flags: '--day <day>', about: 'what was said on a day, such as 2026-11-15, also when it is over' },
        { flags: '--limit <number>', about: 'show so many messages, the newest (20)' },
      ],
      examples: [
        ['conversations show telegram:123456', 'the last 20 messages'],
        ['conversations show telegram:123456 --day 2026-11-15 --limit 1000', 'a day of it'],
      ],
      run: showConversation,
    },
    {
      name: 'flags',
      summary: 'Show the flags of one, or change some',
      operands: [key],
      options: [
        { flags: '--set <name=value>', about: 'a flag and its value, as JSON or words', many: true },
        { flags: '--unset <name>', about: 'take a flag away', many: true },
      ],
      examples: [
        ['conversations flags telegram:123456', 'those that are set'],
        ['conversations flags telegram:123456 --set localOnly=true --unset originRoute', 'the others stay'],
      ],
      run: flags,
    },
    {
      name: 'summary',
      summary: 'Show the summary of one, or set it',
      operands: [key, { name: '[text]', about: 'the new summary; left out, it is shown' }],
      examples: [
        ['conversations summary telegram:123456', 'what agents are told first'],
        ['conversations summary telegram:123456 "They want the release on Friday"', 'in other words'],
      ],
      run: summary,
    },
    {
      name: 'truncate',
      summary: 'Hand agents only the newest messages of one; the archive keeps all',
      operands: [key, { name: 'number', about: 'how many they are still handed; 0 clears' }],
      examples: [['conversations truncate telegram:123456 50', 'the last fifty']],
      run: truncate,
    },
    {
      name: 'reset',
      summary: 'Clear messages and summary of one for agents; flags and the archive stay',
      operands: [key],
      examples: [['conversations reset telegram:123456', 'agents begin anew']],
      run: reset,
    },
    {
      name: 'begin',
      summary: 'Begin now what waits until another conversation’s work in the same folder ends',
      operands: [key],
      examples: [['conversations begin web:prj_1.claude', 'both work in the folder then']],
      run: begin,
    },
    {
      name: 'save',
      summary: 'Write the file of one now, and say where',
      operands: [key],
      examples: [['conversations save telegram:123456', 'prints its path when it is on the disk']],
      run: save,
    },
    {
      name: 'delete',
      summary: 'Delete one with its messages and its file',
      operands: [key],
      options: [yesOption],
      examples: [['conversations delete telegram:123456', 'asks first']],
      run: remove,
    },
  ],
}
