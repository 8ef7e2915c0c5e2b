/** `holdfast conversations`: the message history per channel and counterpart (CV1). */

import { inReadingOrder } from '../../domain/conversations/messages.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { Conversation, Flags } from '../../protocol/conversations/conversation.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { counted } from '../amounts.ts'
import {
  type CommandSpec,
  command,
  defined,
  type Given,
  jsonOrText,
  operand,
  option,
} from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { fields } from '../table.ts'
import { chatLine, pausedWords, waitsWords, workplaceWords } from './chat-lines.ts'
import { recordLine, recordsSince, type TurnRecord } from './turn-records.ts'

const key = operand.required('such as telegram:123456')

const at = '/api/conversations/{key}'
const shownAtOnce = 20

/** Sorted by channel, then the latest first. */
const flagOptions = {
  set: option.list('<name=value>', 'a flag and its value, as JSON or words'),
  unset: option.list('<name>', 'take a flag away'),
}

const listConversations = command({
  summary: 'List the conversations by channel (the default)',
  options: {
    channel: option.text('<name>', 'only on this channel: web, agent, telegram …'),
    limit: limitOption,
  },
  examples: [
    ['conversations list --channel telegram', 'those of one channel, the one touched last first'],
    ['conversations list --json', 'for a program'],
  ],
  async run(context, given) {
    const channel = given.channel
    await context.printList(context.client.pages('/api/conversations'), {
      where: (each) => channel === undefined || each.channel === channel,
      order: (a, b) => (a.channel < b.channel ? -1 : a.channel > b.channel ? 1 : 0),
      empty:
        'No conversations. One begins with the first message of a chat; `holdfast import FOLDER` takes some in.',
      columns: [
        { title: 'CHANNEL', of: ({ channel }) => channel },
        { title: 'CONVERSATION', of: ({ key }) => key, style: 'bold', shrinks: true },
        { title: 'MESSAGES', of: ({ messageCount }) => String(messageCount) },
        { title: 'LAST', of: ({ updated }) => context.ago(updated) },
        { title: 'SUMMARY', of: ({ summary }) => summary || '–', shrinks: true },
      ],
    })
  },
})

/** Shows the facts and the newest messages, or all of a day. */
export const showConversation = command({
  summary: 'Show one, with the newest messages that agents are handed, or with those of a day',
  operands: { key },
  options: {
    day: option.text('<day>', 'what was said on a day, such as 2026-11-15, also when it is over'),
    limit: option.text('<number>', 'show so many messages, the newest (20)'),
  },
  examples: [
    ['conversations show telegram:123456', 'the last 20 messages'],
    ['conversations show telegram:123456 --day 2026-11-15 --limit 1000', 'a day of it'],
  ],
  async run(context, given) {
    const params = { key: given.key }
    const day = given.day
    const conversation = await context.client.get(at, { params })
    const all =
      day === undefined
        ? context.client.pages(`${at}/messages`, { params })
        : context.client.pages(`${at}/chapters/{day}/messages`, { params: { ...params, day } })
    const { messages: found, before } = await newest(all, context.limitOr(shownAtOnce))
    const messages = inReadingOrder(found)
    const records = day === undefined ? await recordsSince(context.client, params.key, found) : []
    context.answer({ ...conversation, messages, records }, () =>
      [
        describe(context, conversation),
        '',
        ...messageLines(context, messages, before, records),
      ].join('\n'),
    )
  },
})

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

function messageLines(
  { paint }: CommandContext,
  messages: readonly Message[],
  before: number,
  records: readonly TurnRecord[],
): string[] {
  if (messages.length === 0) return ['Nothing that agents would be handed.']
  const rest = [...records]
  const lines = messages.flatMap((each) => {
    // What came of a turn stands before the message that it became, and before what was written
    // after it.
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

const flags = command({
  summary: 'Show the flags of one, or change some',
  operands: { key },
  options: flagOptions,
  examples: [
    ['conversations flags telegram:123456', 'those that are set'],
    [
      'conversations flags telegram:123456 --set localOnly=true --unset originRoute',
      'the others stay',
    ],
  ],
  async run(context, given) {
    const params = { key: given.key }
    const { flags: before } = await context.client.get(at, { params })
    const change = flagChange(given)
    const now = change
      ? await context.client.put(`${at}/flags`, {
          params,
          body: defined({ ...before, ...change }) as Flags,
        })
      : before
    if (change) context.done(`Set the flags of ${visible(params.key)}`)
    context.answer(now, () => flagLines(context, now))
  },
})

function flagChange({ set = [], unset = [] }: Given<typeof flagOptions>) {
  const change: Record<string, unknown> = {}
  for (const text of set) {
    const split = text.indexOf('=')
    if (split < 1)
      throw usage(
        `--set ${text} has no value.`,
        'Write --set NAME=VALUE; --unset NAME takes it away.',
      )
    change[text.slice(0, split)] = jsonOrText(text.slice(split + 1))
  }
  for (const name of unset) change[name] = undefined
  return Object.keys(change).length > 0 ? change : undefined
}

const flagLines = ({ paint }: CommandContext, now: Flags): string => {
  const pairs = Object.entries(now).map(
    ([name, value]) => [visible(name), visible(JSON.stringify(value))] as const,
  )
  return pairs.length === 0 ? 'No flags are set.' : fields(pairs, paint)
}

const summary = command({
  summary: 'Show the summary of one, or set it',
  operands: { key, text: operand.optional('the new summary; left out, it is shown') },
  examples: [
    ['conversations summary telegram:123456', 'what agents are told first'],
    ['conversations summary telegram:123456 "They want the release on Friday"', 'in other words'],
  ],
  async run(context, given) {
    const params = { key: given.key }
    const text = given.text
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
  },
})

const truncate = command({
  summary: 'Hand agents only the newest messages of one; the archive keeps all',
  operands: { key, number: operand.required('how many they are still handed; 0 clears') },
  examples: [['conversations truncate telegram:123456 50', 'the last fifty']],
  async run(context, given) {
    const typed = given.number
    const keepLast = Number(typed)
    if (!/^\d+$/.test(typed) || !Number.isSafeInteger(keepLast))
      throw usage(
        `${typed} is not a number of messages.`,
        'Say how many of the newest agents are still handed; 0 clears.',
      )
    const key = given.key
    const conversation = await context.client.post(`${at}/truncate`, {
      params: { key },
      body: { keepLast },
    })
    context.finished(
      conversation,
      `Agents are handed ${counted(conversation.messageCount, 'message')} of ${visible(key)}`,
    )
  },
})

const post =
  (what: 'reset' | 'begin', words: (key: string) => string) =>
  async (context: CommandContext, { key }: { key: string }): Promise<void> => {
    context.finished(
      await context.client.post(`${at}/${what}`, { params: { key } }),
      words(visible(key)),
    )
  }

const reset = post(
  'reset',
  (key) => `Cleared messages and summary of ${key}; its flags and the archive stay`,
)
async function goOn(context: CommandContext, { key }: { key: string }): Promise<void> {
  const choice = { params: { key }, body: { goOn: true } }
  const answer = await context.client.post(`${at}/go-on`, choice)
  context.finished(answer, `What was paused in ${visible(key)} goes on`)
}

const begin = post('begin', (key) => `What waited in ${key} begins now, beside the other`)

const save = command({
  summary: 'Write the file of one now, and say where',
  operands: { key },
  examples: [['conversations save telegram:123456', 'prints its path when it is on the disk']],
  async run(context, given) {
    const saved = await context.client.post(`${at}/save`, { params: { key: given.key } })
    context.finished(saved, `Saved in ${visible(saved.path)}`)
  },
})

const remove = command({
  summary: 'Delete one with its messages and its file',
  operands: { key },
  options: { yes: yesOption },
  examples: [['conversations delete telegram:123456', 'asks first']],
  async run(context, given) {
    const key = given.key
    const { messageCount } = await context.client.get(at, { params: { key } })
    const loss = `Its messages (agents are handed ${messageCount}), its days and its file will be gone.`
    await context.confirm(`Delete the conversation ${visible(key)}?`, loss)
    await context.client.delete(at, { params: { key } })
    context.finished({ key, deleted: true }, `Deleted ${visible(key)}`)
  },
})

function describe(context: CommandContext, conversation: Conversation): string {
  const { key, projectId, agentId, messageCount, created, updated, state, workplace, waitsFor } =
    conversation
  const { paused } = conversation
  const flags = Object.entries(conversation.flags).map(([name, value]) =>
    visible(`${name}=${JSON.stringify(value)}`),
  )
  return context.details(key, [
    ['Channel', visible(conversation.channel)],
    ...(projectId ? [['Project', `${projectId}, with ${agentId}`] as const] : []),
    ...(workplace ? [['Works in', workplaceWords(workplace)] as const] : []),
    ...(paused ? [['Paused', pausedWords(paused, key)] as const] : []),
    ...(waitsFor ? [['Waits', waitsWords(key)] as const] : []),
    ...(state === 'closed' ? [['State', state] as const] : []),
    ['Messages', String(messageCount)],
    ['Began', context.time(created)],
    ['Last', context.time(updated)],
    ['Flags', flags.join(', ') || '–'],
    ['Summary', visible(conversation.summary) || '–'],
  ])
}

export const conversations: CommandSpec = {
  summary: 'Conversations on any channel: what agents are handed of them',
  examples: [
    ['conversations', 'all of them, by channel'],
    ['conversations show telegram:123456', 'what was said last'],
    ['conversations flags telegram:123456 --set localOnly=true', 'change a flag'],
  ],
  commands: {
    list: listConversations,
    show: showConversation,
    flags,
    summary,
    truncate,
    reset: command({
      summary: 'Clear messages and summary of one for agents; flags and the archive stay',
      operands: { key },
      examples: [['conversations reset telegram:123456', 'agents begin anew']],
      run: reset,
    }),
    begin: command({
      summary: 'Begin now what waits until another conversation’s work in the same folder ends',
      operands: { key },
      examples: [['conversations begin web:prj_1.claude', 'both work in the folder then']],
      run: begin,
    }),
    'go-on': command({
      summary: 'Let go on what is paused because its turn was stopped or has failed',
      operands: { key },
      examples: [['conversations go-on session:k3v9', 'the next message is answered']],
      run: goOn,
    }),
    save,
    delete: remove,
  },
}
