/** `holdfast conversations`: the message history per channel and counterpart (CV1). */

import { inReadingOrder } from '../../domain/conversations/messages.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { Conversation, Flags } from '../../protocol/conversations/conversation.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { counted } from '../amounts.ts'
import { command, defined, group, jsonOrText } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { fields } from '../table.ts'
import { chatLine, waitsWords, workplaceWords } from './chat-lines.ts'
import { recordLine, recordsSince, type TurnRecord } from './turn-records.ts'

const at = '/api/conversations/{key}'
const shownAtOnce = 20

const channelOf = ({ key }: Conversation): string => key.slice(0, key.indexOf(':'))

/** Sorted by channel, then the latest first. */
async function listConversations(context: CommandContext): Promise<void> {
  const channel = context.text('channel')
  await context.printList(context.client.pages('/api/conversations'), {
    where: (each) => channel === undefined || channelOf(each) === channel,
    order: (a, b) => (channelOf(a) < channelOf(b) ? -1 : channelOf(a) > channelOf(b) ? 1 : 0),
    empty:
      'No conversations. One begins with the first message of a chat; `holdfast import FOLDER` takes some in.',
    columns: [
      { title: 'CHANNEL', of: channelOf },
      { title: 'CONVERSATION', of: ({ key }) => key, style: 'bold', shrinks: true },
      { title: 'MESSAGES', of: ({ messageCount }) => String(messageCount) },
      { title: 'LAST', of: ({ updated }) => context.ago(updated) },
      { title: 'SUMMARY', of: ({ summary }) => summary || '–', shrinks: true },
    ],
  })
}

/** Shows the facts and the newest messages, or all of a day. */
async function showConversation(context: CommandContext): Promise<void> {
  const params = { key: context.operand(0) }
  const day = context.text('day')
  const conversation = await context.client.get(at, { params })
  const all =
    day === undefined
      ? context.client.pages(`${at}/messages`, { params })
      : context.client.pages(`${at}/chapters/{day}/messages`, { params: { ...params, day } })
  const { messages: found, before } = await newest(all, context.limitOr(shownAtOnce))
  const messages = inReadingOrder(found)
  const records = day === undefined ? await recordsSince(context.client, params.key, found) : []
  context.answer({ ...conversation, messages, records }, () =>
    [describe(context, conversation), '', ...said(context, messages, before, records)].join('\n'),
  )
}

async function newest(all: AsyncGenerator<Message, void, undefined>, limit: number) {
  const messages: Message[] = []
  let before = 0
  for await (const message of all) {
    messages.push(message)
    if (messages.length <= limit) continue
    messages.shift()
    before++
  }
  return { messages, before }
}

function said(
  { paint }: CommandContext,
  messages: readonly Message[],
  before: number,
  records: readonly TurnRecord[],
): string[] {
  if (messages.length === 0) return ['Nothing that agents would be handed.']
  const rest = [...records]
  const lines = messages.flatMap((each) => {
    // What came of a turn stands before the message that it became, and before what was written after it.
    const earlier = rest.filter(({ at, turnId }) => turnId === each.clientId || at < each.createdAt)
    for (const record of earlier) rest.splice(rest.indexOf(record), 1)
    // The sender on a channel is not the program that stored the message.
    const line = chatLine(
      each.projectId || each.senderName ? each : { ...each, senderId: each.role },
      paint,
    )
    return [...earlier.map((record) => recordLine(record, paint)), line]
  })
  lines.push(...rest.map((record) => recordLine(record, paint)))
  return before === 0
    ? lines
    : [paint('dim', `… ${counted(before, 'message')} before; --limit N shows them.`), ...lines]
}

async function flags(context: CommandContext): Promise<void> {
  const params = { key: context.operand(0) }
  const { flags: known } = await context.client.get(at, { params })
  const change = flagChange(context)
  const now = change
    ? await context.client.put(`${at}/flags`, {
        params,
        body: defined({ ...known, ...change }) as Flags,
      })
    : known
  if (change) context.done(`Set the flags of ${visible(params.key)}`)
  context.answer(now, () => flagLines(context, now))
}

function flagChange(context: CommandContext): Record<string, unknown> | undefined {
  const change: Record<string, unknown> = {}
  for (const text of context.values('set') ?? []) {
    const split = text.indexOf('=')
    if (split < 1)
      throw usage(
        `--set ${text} has no value.`,
        'Write --set NAME=VALUE; --unset NAME takes it away.',
      )
    change[text.slice(0, split)] = jsonOrText(text.slice(split + 1))
  }
  for (const name of context.values('unset') ?? []) change[name] = undefined
  return Object.keys(change).length > 0 ? change : undefined
}

const flagLines = ({ paint }: CommandContext, now: Flags): string => {
  const pairs = Object.entries(now).map(
    ([name, value]) => [visible(name), visible(JSON.stringify(value))] as const,
  )
  return pairs.length === 0 ? 'No flags are set.' : fields(pairs, paint)
}

async function summary(context: CommandContext): Promise<void> {
  const params = { key: context.operand(0) }
  const text = context.optionalOperand(1)
  if (text === undefined) {
    const conversation = await context.client.get(at, { params })
    return context.answer(
      conversation,
      () => visibleLines(conversation.summary) || 'There is no summary.',
    )
  }
  const conversation = await context.client.put(`${at}/summary`, {
    params,
    body: { summary: text },
  })
  context.finished(conversation, `Set the summary of ${visible(params.key)}`)
}

async function truncate(context: CommandContext): Promise<void> {
  const typed = context.operand(1)
  const keepLast = Number(typed)
  if (!/^\d+$/.test(typed) || !Number.isSafeInteger(keepLast))
    throw usage(
      `${typed} is not a number of messages.`,
      'Say how many of the newest agents are still handed; 0 clears.',
    )
  const key = context.operand(0)
  const conversation = await context.client.post(`${at}/truncate`, {
    params: { key },
    body: { keepLast },
  })
  context.finished(
    conversation,
    `Agents are handed ${counted(conversation.messageCount, 'message')} of ${visible(key)}`,
  )
}

const post =
  (what: 'reset' | 'begin', words: (key: string) => string) =>
  async (context: CommandContext): Promise<void> => {
    const key = context.operand(0)
    context.finished(
      await context.client.post(`${at}/${what}`, { params: { key } }),
      words(visible(key)),
    )
  }

const reset = post(
  'reset',
  (key) => `Cleared messages and summary of ${key}; its flags and the archive stay`,
)
const begin = post('begin', (key) => `What waited in ${key} begins now, beside the other`)

async function save(context: CommandContext): Promise<void> {
  const saved = await context.client.post(`${at}/save`, { params: { key: context.operand(0) } })
  context.finished(saved, `Saved in ${visible(saved.path)}`)
}

async function remove(context: CommandContext): Promise<void> {
  const key = context.operand(0)
  const { messageCount } = await context.client.get(at, { params: { key } })
  const loss = `Its messages (agents are handed ${messageCount}), its days and its file will be gone.`
  await context.confirm(`Delete the conversation ${visible(key)}?`, loss)
  await context.client.delete(at, { params: { key } })
  context.finished({ key, deleted: true }, `Deleted ${visible(key)}`)
}

function describe(context: CommandContext, conversation: Conversation): string {
  const { key, projectId, agentId, messageCount, created, updated, state, workplace, waitsFor } =
    conversation
  const flags = Object.entries(conversation.flags).map(([name, value]) =>
    visible(`${name}=${JSON.stringify(value)}`),
  )
  return context.details(key, [
    ['Channel', visible(channelOf(conversation))],
    ...(projectId ? [['Project', `${projectId}, with ${agentId}`] as const] : []),
    ...(workplace ? [['Works in', workplaceWords(workplace)] as const] : []),
    ...(waitsFor ? [['Waits', waitsWords(key)] as const] : []),
    ...(state === 'closed' ? [['State', state] as const] : []),
    ['Messages', String(messageCount)],
    ['Began', context.time(created)],
    ['Last', context.time(updated)],
    ['Flags', flags.join(', ') || '–'],
    ['Summary', visible(conversation.summary) || '–'],
  ])
}

const key = { name: 'key', about: 'such as telegram:123456' }

export const conversations = group`
  Conversations on any channel: what agents are handed of them
  $ conversations  all of them, by channel
  $ conversations show telegram:123456  what was said last
  $ conversations flags telegram:123456 --set localOnly=true  change a flag
`({
  list: command(listConversations)`
    List the conversations by channel (the default)
    --channel <name>  only on this channel: web, agent, telegram …
    ${limitOption}
    $ conversations list --channel telegram  those of one channel, the one touched last first
    $ conversations list --json  for a program`,
  show: command(showConversation, key)`
    Show one, with the newest messages that agents are handed, or with those of a day
    --day <day>  what was said on a day, such as 2026-11-15, also when it is over
    --limit <number>  show so many messages, the newest (20)
    $ conversations show telegram:123456  the last 20 messages
    $ conversations show telegram:123456 --day 2026-11-15 --limit 1000  a day of it`,
  flags: command(flags, key)`
    Show the flags of one, or change some
    --set <name=value>...  a flag and its value, as JSON or words
    --unset <name>...  take a flag away
    $ conversations flags telegram:123456  those that are set
    $ conversations flags telegram:123456 --set localOnly=true --unset originRoute  the others stay`,
  summary: command(summary, key)`
    Show the summary of one, or set it
    [text]  the new summary; left out, it is shown
    $ conversations summary telegram:123456  what agents are told first
    $ conversations summary telegram:123456 "They want the release on Friday"  in other words`,
  truncate: command(truncate, key)`
    Hand agents only the newest messages of one; the archive keeps all
    <number>  how many they are still handed; 0 clears
    $ conversations truncate telegram:123456 50  the last fifty`,
  reset: command(reset, key)`
    Clear messages and summary of one for agents; flags and the archive stay
    $ conversations reset telegram:123456  agents begin anew`,
  begin: command(begin, key)`
    Begin now what waits until another conversation’s work in the same folder ends
    $ conversations begin web:prj_1.claude  both work in the folder then`,
  save: command(save, key)`
    Write the file of one now, and say where
    $ conversations save telegram:123456  prints its path when it is on the disk`,
  delete: command(remove, key, yesOption)`
    Delete one with its messages and its file
    $ conversations delete telegram:123456  asks first`,
})
