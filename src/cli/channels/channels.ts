/** `holdfast channels`: chats on other platforms, who is accepted, and which agent answers (CN1, CN2). */

import type { CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { projectOption } from '../projects/choose-project.ts'
import { approve, listChannels, listRoutes, pair, refuse, revoke, setRoute } from './channel-commands.ts'

const chat = { name: 'chat', about: 'its number, @handle, or name where only one has it' } as const

export const channels: CommandSpec = {
  name: 'channels',
  summary: 'Chats on Telegram: who is let in, and which agent answers',
  examples: [
    ['channels', 'the state, and everybody who has written'],
    ['channels pair', 'a code that lets somebody in'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'The state of each channel and its chats (the default)',
      options: [limitOption],
      examples: [['channels list', 'who asks, who is served']],
      isDefault: true,
      run: listChannels,
    },
    {
      name: 'pair',
      summary: 'Make a code that lets one chat in, once, within 10 minutes',
      examples: [['channels pair', 'send the code to the bot']],
      run: pair,
    },
    {
      name: 'approve',
      summary: 'Let a chat in that asks',
      operands: [chat],
      examples: [['channels approve @aiko', 'after you have made sure who it is']],
      run: approve,
    },
    {
      name: 'refuse',
      summary: 'Refuse a chat that asks',
      operands: [chat],
      examples: [['channels refuse 123456', 'it gets no further answer']],
      run: refuse,
    },
    {
      name: 'revoke',
      summary: 'Stop serving a chat',
      operands: [chat],
      options: [yesOption],
      examples: [['channels revoke @aiko --yes', 'without being asked']],
      run: revoke,
    },
    {
      name: 'routes',
      summary: 'Which agent answers where',
      options: [limitOption],
      examples: [['channels routes', 'the default, and each chat']],
      run: listRoutes,
    },
    {
      name: 'route',
      summary: 'Choose the agent of a chat, or of all chats without one of their own',
      operands: [{ name: '[chat]', about: 'its number, @handle, or name where only one has it' }],
      options: [
        { flags: '--agent <agent>', about: 'its id, or its name where only one has it' },
        projectOption,
        { flags: '--default', about: 'for all chats without a route of their own' },
        { flags: '--none', about: 'take the route away' },
      ],
      examples: [
        ['channels route @aiko --agent demo', 'for this chat'],
        ['channels route --default --agent demo', 'for all others'],
      ],
      run: setRoute,
    },
  ],
}
