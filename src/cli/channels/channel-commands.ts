/** Implementation of `holdfast channels …`: state of channels, accepted chats, and the agent that answers. */
import type { Client } from '../../client/client.ts'
import { type ChannelName, channelNames } from '../../domain/channels/key.ts'
import { nearest } from '../../domain/nearest.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Channel, ChannelChat, ChannelRoute } from '../../protocol/channels/channel.ts'
import { secretOnce } from '../access/secret-once.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { table } from '../table.ts'
import { relative } from '../times.ts'

/** The only channel so far. */
const [channel]: readonly [ChannelName] = channelNames
const pageSize = { query: { limit: 200 } }
const ofChannel = { params: { channel } }

export async function listChannels(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items } = await client.get('/api/channels', { query: {} })
  const { items: chats, more } = await context.list(client.pages('/api/channels/{channel}/chats', { ...ofChannel, ...pageSize }))
  context.answer({ items, chats }, () =>
    [...items.map((each) => describe(context, each)), '', chatTable(context, chats)].join('\n'),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

const stateStyles = { connected: 'green', connecting: 'yellow', failing: 'red', off: 'dim' } as const

function describe({ paint }: CommandContext, each: Channel): string {
  const now = systemClock.now()
  const name = each.name === null ? '' : `  @${visible(each.name)}`
  const last = each.lastInAt === null ? 'no message yet' : `last message ${relative(each.lastInAt, now)}`
  const counts = each.waiting > 0 ? `, ${each.waiting} to be sent` : ''
  const head = `${paint('bold', each.channel)}  ${paint(stateStyles[each.state], each.state)}${name}  ${paint('dim', last + counts)}`
  const off = 'It is not set up. Get a token from @BotFather and start with HOLDFAST_TELEGRAM_TOKEN.'
  const why = each.trouble ?? (each.state === 'off' && each.name === null ? off : null)
  return why === null ? head : `${head}\n  ${visible(why)}`
}

function chatTable(context: CommandContext, chats: readonly ChannelChat[]): string {
  const { paint, width } = context
  if (chats.length === 0)
    return context.hint('Nobody has written yet. `holdfast channels pair` makes a code that lets somebody in.')
  const now = systemClock.now()
  return table(
    chats,
    [
      { title: 'CHAT', of: (each) => each.chatId },
      { title: 'NAME', of: (each) => nameOf(each), shrinks: true, style: 'bold' },
      { title: 'STATE', of: (each) => each.state },
      { title: 'AGENT', of: (each) => (each.route ? each.route.agentId : "the channel's") },
      { title: 'LAST MESSAGE', of: (each) => (each.lastInAt === null ? '' : relative(each.lastInAt, now)), style: 'dim' },
      { title: 'TROUBLE', of: (each) => visible(each.trouble ?? ''), shrinks: true },
    ],
    paint,
    width,
  )
}

const nameOf = ({ title, handle, kind }: ChannelChat): string =>
  visible([title, handle && `@${handle}`, kind === 'group' && '(group)'].filter(Boolean).join(' '))

export async function pair(context: CommandContext): Promise<void> {
  const client = await context.client()
  const made = await client.post('/api/channels/{channel}/pairing-codes', ofChannel)
  const how = made.link === null ? `Send it to the bot: /start ${made.code}` : `Send it to the bot, or open ${made.link}`
  context.answer(made, () => secretOnce(context, 'Code', made.code, `It counts once, for 10 minutes. ${how}`))
}

export const approve = (context: CommandContext, given: Given): Promise<void> => decide(context, given, 'paired')
export const refuse = (context: CommandContext, given: Given): Promise<void> => decide(context, given, 'refused')

export async function revoke(context: CommandContext, given: Given): Promise<void> {
  await decide(context, given, 'revoked', (name) =>
    context.confirm(`Revoke ${name}?`, 'It is not served any more, and what waits there is dropped.'),
  )
}

const said = { paired: 'is served from now on', refused: 'was refused', revoked: 'is not served any more' } as const

async function decide(
  context: CommandContext,
  given: Given,
  state: keyof typeof said,
  ask?: (name: string) => Promise<void>,
): Promise<void> {
  const client = await context.client()
  const chat = await findChat(client, given.operand(0))
  await ask?.(nameOf(chat))
  const params = { channel, chatId: chat.chatId }
  const changed = await client.patch('/api/channels/{channel}/chats/{chatId}', { params, body: { state } })
  context.finished(changed, `${context.paint('bold', nameOf(chat))} ${said[state]}`)
}

export async function listRoutes(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items } = await client.get('/api/channels', { query: {} })
  const { items: all } = await context.list(client.pages('/api/channels/{channel}/chats', { ...ofChannel, ...pageSize }))
  const chats = all.filter(({ route, state }) => route !== null || state === 'paired')
  const rows = [
    ...items.map((each) => ({ chat: null, name: `${each.channel} (all others)`, route: each.route })),
    ...chats.map((each) => ({ chat: each.chatId, name: nameOf(each), route: each.route })),
  ]
  context.answer({ items: rows }, () =>
    table(
      rows,
      [
        { title: 'CHAT', of: (each) => each.chat ?? '' },
        { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
        { title: 'PROJECT', of: (each) => each.route?.projectId ?? '' },
        { title: 'AGENT', of: (each) => each.route?.agentId ?? (each.chat === null ? 'the first there is' : "the channel's") },
      ],
      context.paint,
      context.width,
    ),
  )
}

export async function setRoute(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const typed = given.optionalOperand(0)
  const isDefault = given.flag('default')
  if ((typed === undefined) !== isDefault)
    throw usage('It is not clear whose route is meant.', 'Name a chat, or --default for all others.')
  const route = given.flag('none') ? null : await routeFrom(context, client, given)
  const whom = route === null ? 'no agent of its own' : route.agentId
  if (typed === undefined) {
    const changed = await client.put('/api/channels/{channel}/route', { ...ofChannel, body: { route } })
    return context.finished(changed, `Chats without a route of their own: ${whom}`)
  }
  const chat = await findChat(client, typed)
  const params = { channel, chatId: chat.chatId }
  const changed = await client.patch('/api/channels/{channel}/chats/{chatId}', { params, body: { route } })
  context.finished(changed, `${context.paint('bold', nameOf(chat))}: ${whom}`)
}

async function routeFrom(context: CommandContext, client: Client, given: Given): Promise<ChannelRoute> {
  const typed = given.text('agent')
  if (typed === undefined)
    throw usage('It is not clear which agent is meant.', 'Name it with --agent, or take the route away with --none.')
  const { id: agentId } = await findByName('agent', typed, client.pages('/api/agents', pageSize))
  const { id: projectId } = await chooseProject(context, given, agentId)
  return { projectId, agentId }
}

/** Finds a chat by id, handle, or unique title. */
async function findChat(client: Client, typed: string): Promise<ChannelChat> {
  const wanted = typed.replace(/^@/, '')
  const called: ChannelChat[] = []
  const words: string[] = []
  for await (const chat of client.pages('/api/channels/{channel}/chats', { ...ofChannel, ...pageSize })) {
    if (chat.chatId === wanted || chat.handle === wanted) return chat
    if (chat.title === wanted) called.push(chat)
    words.push(chat.chatId, chat.handle ?? chat.title)
  }
  const [only, ...others] = called
  if (only && others.length === 0) return only
  if (only) throw usage(`${called.length} chats are called ${JSON.stringify(typed)}.`, 'Name the one you mean by its number.')
  const close = nearest(wanted, words)
  const hint = close ? `Did you mean ${close}? ` : ''
  throw new CommandFailure('notFound', `There is no chat ${JSON.stringify(typed)}.`, `${hint}\`holdfast channels\` lists them.`)
}
