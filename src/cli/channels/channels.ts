/**
 * `holdfast channels`: chats on other platforms, who is accepted, and which agent answers (CN1,
 * CN2).
 */

import type { Client } from '../../client/client.ts'
import { type ChannelName, channelNames } from '../../domain/channels/key.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Channel, ChannelChat, ChannelRoute } from '../../protocol/channels/channel.ts'
import { secretOnce } from '../access/secret-once.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findAgent, findOne } from '../find-by-name.ts'
import { limitOption, projectOption, yesOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'

const at = '/api/channels/{channel}'
const ofChannel = (channel: ChannelName) => ({ params: { channel } })

const channelOption = option.choice('<channel>', channelNames, 'where (telegram)')

/** What was named, or the channel that there was first. */
const named = ({ channel }: { readonly channel?: ChannelName | undefined }): ChannelName =>
  channel ?? 'telegram'

const chatAbout = 'its number, @handle, or name where only one has it'

const chat = operand.required(chatAbout)

const listChannels = command({
  summary: 'The state of each channel and its chats (the default)',
  options: { limit: limitOption },
  examples: [['channels list', 'who asks, who is served']],
  async run(context) {
    const { items } = await context.client.get('/api/channels')
    const chats: ChannelChat[] = []
    let more = false
    for (const { channel } of items) {
      const found = await context.firstOf(context.client.pages(`${at}/chats`, ofChannel(channel)))
      chats.push(...found.items)
      more ||= found.more
    }
    context.answer({ items, chats }, () =>
      [...items.map((each) => describe(context, each)), '', chatTable(context, chats)].join('\n'),
    )
    if (more) context.noteMore()
  },
})

const stateStyles = {
  connected: 'green',
  connecting: 'yellow',
  failing: 'red',
  off: 'dim',
} as const

function describe(context: CommandContext, each: Channel): string {
  const { paint } = context
  const name = each.name === null ? '' : `  @${visible(each.name)}`
  const last =
    each.lastInAt === null ? 'no message yet' : `last message ${context.ago(each.lastInAt)}`
  const counts = each.waiting > 0 ? `, ${each.waiting} to be sent` : ''
  const head = `${paint('bold', each.channel)}  ${paint(stateStyles[each.state], each.state)}${name}  ${paint('dim', last + counts)}`
  const off = `It is not set up: docs/operating/${each.channel}.md says how.`
  const why = each.trouble ?? (each.state === 'off' && each.name === null ? off : null)
  return why === null ? head : `${head}\n  ${visible(why)}`
}

const chatTable = (context: CommandContext, chats: readonly ChannelChat[]): string =>
  context.table(chats, {
    empty: 'Nobody has written yet. `holdfast channels pair` makes a code that lets somebody in.',
    columns: [
      { title: 'CHANNEL', of: (each) => each.channel },
      { title: 'CHAT', of: (each) => each.chatId },
      { title: 'NAME', of: (each) => nameOf(each), shrinks: true, style: 'bold' },
      { title: 'STATE', of: (each) => each.state },
      { title: 'AGENT', of: (each) => (each.route ? each.route.agentId : "the channel's") },
      {
        title: 'LAST MESSAGE',
        of: (each) => (each.lastInAt === null ? '' : context.ago(each.lastInAt)),
        style: 'dim',
      },
      { title: 'TROUBLE', of: (each) => visible(each.trouble ?? ''), shrinks: true },
    ],
  })

const nameOf = ({ title, handle, kind }: ChannelChat): string =>
  visible([title, handle && `@${handle}`, kind === 'group' && '(group)'].filter(Boolean).join(' '))

const pair = command({
  summary: 'Make a code that pairs its sender with you, once, within 10 minutes',
  options: { channel: channelOption },
  examples: [
    ['channels pair', 'send the code to the bot'],
    ['channels pair --channel slack', 'in a direct message there'],
  ],
  async run(context, given) {
    const made = await context.client.post(`${at}/pairing-codes`, ofChannel(named(given)))
    const how =
      made.link === null
        ? `Send it to the bot: ${made.code}`
        : `Send it to the bot, or open ${made.link}`
    context.answer(made, () =>
      secretOnce(context, 'Code', made.code, `It counts once, for 10 minutes. ${how}`),
    )
  },
})

const revoked = 'It is not served any more, and what waits there is dropped.'

const outcomes = {
  paired: 'is served from now on',
  refused: 'was refused',
  revoked: 'is not served any more',
} as const

/** Asks first where there is a loss. */
async function decide(
  context: CommandContext,
  given: { readonly chat: string; readonly channel?: ChannelName | undefined },
  state: keyof typeof outcomes,
  loss?: string,
): Promise<void> {
  const chat = await findChat(context.client, named(given), given.chat)
  if (loss) await context.confirm(`Revoke ${nameOf(chat)}?`, loss)
  const changed = await context.client.patch(`${at}/chats/{chatId}`, {
    params: paramsOf(chat),
    body: { state },
  })
  context.finished(changed, `${context.paint('bold', nameOf(chat))} ${outcomes[state]}`)
}

const paramsOf = ({ channel, chatId }: ChannelChat) => ({ channel, chatId })

const listRoutes = command({
  summary: 'Which agent answers where',
  options: { limit: limitOption },
  examples: [['channels routes', 'the default, and each chat']],
  async run(context) {
    const { items } = await context.client.get('/api/channels')
    const all: ChannelChat[] = []
    for (const { channel } of items)
      all.push(
        ...(await context.firstOf(context.client.pages(`${at}/chats`, ofChannel(channel)))).items,
      )
    const chats = all.filter(({ route, state }) => route !== null || state === 'paired')
    const rows = [
      ...items.map((each) => ({
        chat: null,
        name: `${each.channel} (all others)`,
        route: each.route,
      })),
      ...chats.map((each) => ({ chat: each.chatId, name: nameOf(each), route: each.route })),
    ]
    context.answer({ items: rows }, () =>
      context.table(rows, {
        empty: '',
        columns: [
          { title: 'CHAT', of: (each) => each.chat ?? '' },
          { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
          { title: 'PROJECT', of: (each) => each.route?.projectId ?? '' },
          {
            title: 'AGENT',
            of: (each) =>
              each.route?.agentId ?? (each.chat === null ? 'the first there is' : "the channel's"),
          },
        ],
      }),
    )
  },
})

const setRoute = command({
  summary: 'Choose the agent of a chat, or of all chats without one of their own',
  operands: { chat: operand.optional(chatAbout) },
  options: {
    channel: channelOption,
    agent: option.text('<agent>', 'its id, or its name where only one has it'),
    project: projectOption,
    default: option.flag('for all chats without a route of their own'),
    none: option.flag('take the route away'),
  },
  examples: [
    ['channels route @aiko --agent demo', 'for this chat'],
    ['channels route --default --agent demo', 'for all others'],
  ],
  async run(context, given) {
    const typed = given.chat
    const isDefault = given.default
    if ((typed === undefined) !== isDefault)
      throw usage(
        'It is not clear whose route is meant.',
        'Name a chat, or --default for all others.',
      )
    const route = given.none ? null : await routeFrom(context, given.agent)
    const whom = route === null ? 'no agent of its own' : route.agentId
    if (typed === undefined) {
      const changed = await context.client.put(`${at}/route`, {
        ...ofChannel(named(given)),
        body: { route },
      })
      return context.finished(changed, `Chats without a route of their own: ${whom}`)
    }
    const chat = await findChat(context.client, named(given), typed)
    const changed = await context.client.patch(`${at}/chats/{chatId}`, {
      params: paramsOf(chat),
      body: { route },
    })
    context.finished(changed, `${context.paint('bold', nameOf(chat))}: ${whom}`)
  },
})

async function routeFrom(
  context: CommandContext,
  typed: string | undefined,
): Promise<ChannelRoute> {
  if (typed === undefined)
    throw usage(
      'It is not clear which agent is meant.',
      'Name it with --agent, or take the route away with --none.',
    )
  const { id: agentId } = await findAgent(context.client, typed)
  const { id: projectId } = await chooseProject(context, agentId)
  return { projectId, agentId }
}

/** Finds a chat by id, handle, or unique title. */
const findChat = (client: Client, channel: ChannelName, typed: string): Promise<ChannelChat> =>
  findOne(
    'chat',
    typed.replace(/^@/, ''),
    client.pages(`${at}/chats`, ofChannel(channel)),
    ({ chatId, handle, title }) => [[chatId, handle], [title]],
  )

export const channelCommands: CommandSpec = {
  summary: 'Chats on Telegram, Slack and Discord: who is let in, and which agent answers',
  examples: [
    ['channels', 'the state, and everybody who has written'],
    ['channels pair', 'a code that lets somebody in'],
  ],
  commands: {
    list: listChannels,
    pair,
    approve: command({
      summary: 'Let a chat in that asks',
      operands: { chat },
      options: { channel: channelOption },
      examples: [['channels approve @aiko', 'after you have made sure who it is']],
      run: (context, given) => decide(context, given, 'paired'),
    }),
    refuse: command({
      summary: 'Refuse a chat that asks',
      operands: { chat },
      options: { channel: channelOption },
      examples: [['channels refuse 123456', 'it gets no further answer']],
      run: (context, given) => decide(context, given, 'refused'),
    }),
    revoke: command({
      summary: 'Stop serving a chat',
      operands: { chat },
      options: { channel: channelOption, yes: yesOption },
      examples: [['channels revoke @aiko --yes', 'without being asked']],
      run: (context, given) => decide(context, given, 'revoked', revoked),
    }),
    routes: listRoutes,
    route: setRoute,
  },
}
