/** The words of channels in English. */
export const channels = {
  title: 'Channels',
  all: 'All about channels',
  names: { telegram: 'Telegram', slack: 'Slack', discord: 'Discord' },
  states: {
    off: 'not set up',
    connecting: 'connecting',
    connected: 'connected',
    failing: 'not connected',
  },
  state: 'State',
  bot: 'Bot',
  last: 'Last message',
  none: 'none yet',
  waiting: 'To be sent',
  route: 'Agent',
  routeHint: 'For chats without one of their own.',
  firstAgent: 'The first agent there is',
  channelsAgent: 'The channel’s agent',
  routed: 'The agent was chosen.',
  pair: 'Make a code',
  codeTitle: 'Let somebody in',
  codeText: 'Send it to the bot as a message, within 10 minutes. It counts once.',
  codeLink: 'Open the chat with the code',
  setUp: {
    telegram:
      'Write to @BotFather on Telegram, make a bot with /newbot, and start Holdfast with its ' +
      'token:',
    slack:
      'Make a Slack app from the manifest in docs/operating/slack.md, install it, and start ' +
      'Holdfast with its two tokens:',
    discord:
      'Make an application with a bot in Discord’s developer portal, as ' +
      'docs/operating/discord.md says, and start Holdfast with its token:',
  },
  setUpNote: 'It works behind a router: nothing has to reach this server.',
  asking: 'Asking to be let in',
  askingNote: 'Names are what people choose. A code is the safer way.',
  nobodyAsks: 'Nobody asks.',
  approve: 'Let in',
  approveName: (name: string) => `Let ${name} in`,
  refuse: 'Refuse',
  refuseName: (name: string) => `Refuse ${name}`,
  approved: (name: string) => `${name} is served from now on.`,
  refused: (name: string) => `${name} was refused.`,
  chats: 'Chats',
  noChats: 'No chat is served yet. Make a code, and send it to the bot.',
  group: 'group: everybody in it is heard',
  groupOfPeople: 'group: only people who are paired are heard',
  test: 'Send a test',
  testName: (name: string) => `Send a test message to ${name}`,
  tested: 'The test message is on its way.',
  people: 'People',
  peopleNote: 'Who somebody is here. What they decide there counts as theirs.',
  nobodyPaired: 'Nobody is paired yet. Make a code, and send it to the bot in a direct message.',
  isPerson: (person: string) => `is ${person} here`,
  signOut: 'Sign out',
  signOutName: (name: string) => `Sign ${name} out`,
  signOutTitle: (name: string) => `Sign ${name} out?`,
  signOutText:
    'Their direct chat stays as it is. In channels they are not heard any more, and they can ' +
    'be paired again.',
  signedOut: (name: string) => `${name} is signed out.`,
  chatStates: {
    asking: 'asking',
    paired: 'served',
    refused: 'refused',
    revoked: 'not served any more',
  },
  routeOf: (name: string) => `Agent of ${name}`,
  revokeName: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Stop serving ${name}?`,
  revokeText:
    'What waits there is dropped. The conversation stays, and you can let the chat in again.',
  revoked: (name: string) => `${name} is not served any more.`,
  askingCount: (count: number) =>
    count === 1 ? '1 asks to be let in' : `${count} ask to be let in`,
}
