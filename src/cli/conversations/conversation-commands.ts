/** Implementation of the commands under `holdfast conversations`. */

import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Conversation, Flags } from '../../protocol/conversations/conversation.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { counted } from '../amounts.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { fields, table } from '../table.ts'
import { exact, relative } from '../times.ts'
import { chatLine, waitsWords, workplaceWords } from './chat-lines.ts'

const at = '/api/conversations/{key}'
const pageSize = 200
/** Default number of shown messages. */
const shownAtOnce = 20

const channelOf = ({ key }: Conversation): string => key.slice(0, key.indexOf(':'))

/** Sorted by channel, then the latest first. */
export async function listConversations(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const all = client.pages('/api/conversations', { query: { limit: pageSize } })
  const { items: found, nextCursor, more } = await context.list(onChannel(all, given.text('channel')))
  const items = found.toSorted((a, b) => (channelOf(a) < channelOf(b) ? -1 : channelOf(a) > channelOf(b) ? 1 : 0))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint('No conversations. One begins with the first message of a chat; `holdfast import FOLDER` takes some in.')
      : table(
          items,
          [
            { title: 'CHANNEL', of: channelOf },
            { title: 'CONVERSATION', of: ({ key }) => key, style: 'bold', shrinks: true },
            { title: 'MESSAGES', of: ({ messageCount }) => String(messageCount) },
            { title: 'LAST', of: ({ updated }) => relative(updated, now) },
            { title: 'SUMMARY', of: ({ summary }) => summary || '–', shrinks: true },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

async function* onChannel(all: AsyncGenerator<Conversation, void, undefined>, channel: string | undefined) {
  for await (const each of all) if (channel === undefined || channelOf(each) === channel) yield each
}

/** Shows the facts and the newest messages, or all of a day. */
export async function showConversation(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const params = { key: given.operand(0) }
  const day = given.text('day')
  const conversation = await client.get(at, { params })
  const query = { limit: pageSize }
  const all =
    day === undefined
      ? client.pages(`${at}/messages`, { params, query })
      : client.pages(`${at}/chapters/{day}/messages`, { params: { ...params, day }, query })
  const { messages, before } = await newest(all, context.limitOr(shownAtOnce))
  context.answer({ ...conversation, messages }, () =>
    [describe(context, conversation), '', ...said(context, messages, before)].join('\n'),
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

function said({ paint }: CommandContext, messages: readonly Message[], before: number): string[] {
  if (messages.length === 0) return ['Nothing that agents would be handed.']
  // The sender on a channel is not the program that stored the message.
  const lines = messages.map((each) => chatLine(each.projectId ? each : { ...each, senderId: each.role }, paint))
  return before === 0 ? lines : [paint('dim', `… ${counted(before, 'message')} before; --limit N shows them.`), ...lines]
}

export async function flags(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const params = { key: given.operand(0) }
  const { flags: known } = await client.get(at, { params })
  const change = flagChange(given)
  const now = change ? await client.put(`${at}/flags`, { params, body: changed(known, change) }) : known
  if (change) context.done(`Set the flags of ${visible(params.key)}`)
  context.answer(now, () => flagLines(context, now))
}

function flagChange(given: Given): Record<string, unknown> | undefined {
  const change: Record<string, unknown> = {}
  for (const text of given.list('set')) {
    const split = text.indexOf('=')
    if (split < 1) throw usage(`--set ${text} has no value.`, 'Write --set NAME=VALUE; --unset NAME takes it away.')
    change[text.slice(0, split)] = typedValue(text.slice(split + 1))
  }
  for (const name of given.list('unset')) change[name] = undefined
  return Object.keys(change).length > 0 ? change : undefined
}

/** Parses JSON such as true, 3 or {"a": 1}; otherwise returns the text. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const changed = (known: Flags, change: Record<string, unknown>): Flags =>
  Object.fromEntries(Object.entries({ ...known, ...change }).filter(([, value]) => value !== undefined))

const flagLines = ({ paint }: CommandContext, now: Flags): string => {
  const pairs = Object.entries(now).map(([name, value]) => [visible(name), visible(JSON.stringify(value))] as const)
  return pairs.length === 0 ? 'No flags are set.' : fields(pairs, paint)
}

export async function summary(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const params = { key: given.operand(0) }
  const text = given.optionalOperand(1)
  if (text === undefined) {
    const conversation = await client.get(at, { params })
    return context.answer(conversation, () => lines(conversation.summary) || 'There is no summary.')
  }
  const conversation = await client.put(`${at}/summary`, { params, body: { summary: text } })
  context.finished(conversation, `Set the summary of ${visible(params.key)}`)
}

const lines = (text: string): string => text.split('\n').map(visible).join('\n')

export async function truncate(context: CommandContext, given: Given): Promise<void> {
  const typed = given.operand(1)
  const keepLast = Number(typed)
  if (!/^\d+$/.test(typed) || !Number.isSafeInteger(keepLast))
    throw usage(`${typed} is not a number of messages.`, 'Say how many of the newest agents are still handed; 0 clears.')
  const client = await context.client()
  const key = given.operand(0)
  const conversation = await client.post(`${at}/truncate`, { params: { key }, body: { keepLast } })
  context.finished(conversation, `Agents are handed ${counted(conversation.messageCount, 'message')} of ${visible(key)}`)
}

export async function reset(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const key = given.operand(0)
  const conversation = await client.post(`${at}/reset`, { params: { key } })
  context.finished(conversation, `Cleared messages and summary of ${visible(key)}; its flags and the archive stay`)
}

export async function begin(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const key = given.operand(0)
  const conversation = await client.post(`${at}/begin`, { params: { key } })
  context.finished(conversation, `What waited in ${visible(key)} begins now, beside the other`)
}

export async function save(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const saved = await client.post(`${at}/save`, { params: { key: given.operand(0) } })
  context.finished(saved, `Saved in ${visible(saved.path)}`)
}

export async function remove(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const key = given.operand(0)
  const { messageCount } = await client.get(at, { params: { key } })
  const loss = `Its messages (agents are handed ${messageCount}), its days and its file will be gone.`
  await context.confirm(`Delete the conversation ${visible(key)}?`, loss)
  await client.delete(at, { params: { key } })
  context.finished({ key, deleted: true }, `Deleted ${visible(key)}`)
}

function describe(context: CommandContext, conversation: Conversation): string {
  const now = systemClock.now()
  const { key, projectId, agentId, messageCount, created, updated, state, workplace, waitsFor } = conversation
  const facts = [
    ['Channel', visible(channelOf(conversation))],
    ...(projectId ? [['Project', `${projectId}, with ${agentId}`] as const] : []),
    ...(workplace ? [['Works in', workplaceWords(workplace)] as const] : []),
    ...(waitsFor ? [['Waits', waitsWords(key)] as const] : []),
    ...(state === 'closed' ? [['State', state] as const] : []),
    ['Messages', String(messageCount)],
    ['Began', exact(created, now)],
    ['Last', exact(updated, now)],
    [
      'Flags',
      Object.entries(conversation.flags)
        .map(([name, value]) => visible(`${name}=${JSON.stringify(value)}`))
        .join(', ') || '–',
    ],
    ['Summary', visible(conversation.summary) || '–'],
  ] as const
  return [context.paint('bold', visible(key)), fields(facts, context.paint)].join('\n')
}
