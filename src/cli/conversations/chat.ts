/**
 * `holdfast chat`: chat with an agent of a project in the terminal, or send it one message from a
 * script (CH).
 */

import { text as readAll } from 'node:stream/consumers'
import { clientClock } from '../../client/backoff.ts'
import type { Client } from '../../client/client.ts'
import { type EventWatch, watchEvents } from '../../client/event-stream.ts'
import { webKey } from '../../domain/conversations/key.ts'
import { inReadingOrder } from '../../domain/conversations/messages.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import type { NamedWorkspace } from '../../protocol/conversations/conversation-workspace.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import type { ConversationState } from '../../protocol/snapshot.ts'
import { watchNews } from '../agents/agent-news.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, failed, signedOut, usage } from '../failure.ts'
import { projectOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { isInteractive } from '../terminal.ts'
import { chatLine, workplaceTyped } from './chat-lines.ts'
import { type ChatPlace, chatInTerminal } from './terminal-chat.ts'

// Sends one message and waits until the agent has answered exactly that one (NA7), across lost
// connections.

interface Awaited {
  readonly client: Client
  readonly conversationKey: string
  readonly agentId: string
  readonly timeoutMs: number
}

/** `post` is called once events are followed. null: answered without text. */
async function awaitAnswer(
  options: Awaited,
  post: () => Promise<Message>,
): Promise<Message | null> {
  const { client, conversationKey, agentId, timeoutMs } = options
  const stream = conversationStream(conversationKey)
  const { cursor } = await client.get('/api/snapshot', { query: { streams: stream } })
  const sent = await post()
  const messages = new Map<number, Message>()
  let watch: EventWatch | undefined
  let stopWaiting = (): void => {}
  try {
    return await new Promise((resolve, reject) => {
      const onEvent = (event: HoldfastEvent): void => {
        if (!('data' in event)) return
        if (event.type === 'message-added') messages.set(event.data.message.seq, event.data.message)
        if (
          event.type !== 'messages-read' ||
          event.data.agentId !== agentId ||
          !event.data.seqs.includes(sent.seq)
        )
          return
        const { answerSeq } = event.data
        resolve(answerSeq === null ? null : (messages.get(answerSeq) ?? null))
      }
      // The events in between are lost: the agent's messages since count as the answer.
      const onSnapshot = (state: ConversationState | undefined): void => {
        const answer = state?.messages.findLast(
          ({ senderId, seq }) => senderId === agentId && seq > sent.seq,
        )
        if (answer) resolve(answer)
      }
      watch = watchEvents(client, {
        streams: [stream],
        after: cursor,
        onEvent,
        onSnapshot: ({ state }) => onSnapshot(state[stream] as ConversationState | undefined),
        onState: (now) => {
          if (now.state === 'signed-out') reject(signedOut())
          if (now.state === 'refused') reject(failed(now.problem.detail, now.problem.next ?? ''))
        },
      })
      const noAnswer = `No answer came within ${timeoutMs / 1000} s.`
      const next = `The message is kept; \`holdfast chat ${agentId}\` shows the answer when there is one.`
      stopWaiting = clientClock.after(timeoutMs, () =>
        reject(new CommandFailure('later', noAnswer, next, 'no_answer')),
      )
    })
  } finally {
    stopWaiting()
    watch?.close()
  }
}

const defaultLast = 20
/** One page of the server. */
const maxLast = 50
const defaultWaitSeconds = 300
const maxWaitSeconds = 86_400
const goodbyeMs = 2000
/** Standard input that says nothing for so long is told of. */
const quietMs = 1000

/** What is piped in, which is sent like `--message`; undefined where nothing is. */
async function piped(context: CommandContext): Promise<string | undefined> {
  const { stdin } = context.terminal
  if (stdin.isTTY) return undefined
  const stopWaiting = clientClock.after(quietMs, () =>
    context.note('Reading the message from standard input …'),
  )
  const content = await readAll(stdin).finally(stopWaiting)
  return content.trim() === '' ? undefined : content.replace(/\r?\n$/, '')
}

interface ChatTarget extends Omit<ChatPlace, 'panelId'> {
  /** The first session of the agent; others are written in by their keys. */
  readonly isFirst: boolean
}

/** Begins a session, with its first message unless its answer is waited for. */
async function beginSession(
  context: CommandContext,
  { projectId, agentId }: Pick<ChatTarget, 'projectId' | 'agentId'>,
  { content, workplace }: { content: string | undefined; workplace: NamedWorkspace | undefined },
) {
  return context.client.post('/api/projects/{projectId}/conversations', {
    params: { projectId },
    body: { agentId, content, workplace, clientId: randomness.uuid() },
  })
}

async function sendOne(
  context: CommandContext,
  { projectId, agentId, conversationKey, isFirst }: ChatTarget,
  {
    content,
    workplace,
    waitMs,
  }: { content: string; workplace: NamedWorkspace | undefined; waitMs: number | null },
): Promise<void> {
  const clientId = randomness.uuid()
  const addressed = isFirst ? { toAgentId: agentId } : { conversationKey }
  const body = { projectId, ...addressed, content, clientId, workplace }
  const post = (): Promise<Message> => context.client.post('/api/chat', { body })
  if (waitMs === null) {
    const message = await post()
    return context.finished(message, `Sent to ${agentId}`)
  }
  const options = { client: context.client, conversationKey, agentId, timeoutMs: waitMs }
  const tell = (words: string): void => context.note(context.hint(words))
  const news = context.json
    ? undefined
    : await watchNews(context.client, { projectId, agentId }, tell)
  const answer = await awaitAnswer(options, post).finally(() => news?.close())
  // A script gets only the text of the answer.
  context.answer(answer, () => answer?.content ?? '')
}

async function showLast(
  context: CommandContext,
  { projectId, agentId }: ChatTarget,
  last: number,
): Promise<void> {
  const request = { params: { projectId, agentId }, query: { limit: last } }
  const newest = await context.client.get(
    '/api/projects/{projectId}/agents/{agentId}/messages',
    request,
  )
  const items = inReadingOrder(newest.items.toReversed())
  const lines = items.map((message) => chatLine(message, context.paint))
  context.answer(
    { items, nextCursor: null },
    () => lines.join('\n') || 'Nothing has been said yet.',
  )
}

export const chat = command({
  summary: 'Chat with an agent: the last messages, then live; every line is sent',
  operands: { agent: operand.required('id of the agent') },
  options: {
    project: projectOption,
    message: option.text(
      '<text>',
      'send this one message and end; what is piped in is sent likewise',
    ),
    new: option.flag('begin another session with the message, in a process of its own'),
    wait: option.flag('with a message: wait for the answer to it and print it'),
    timeout: option.wholeNumber(
      '<seconds>',
      `with --wait: how long (${defaultWaitSeconds})`,
      maxWaitSeconds,
    ),
    workplace: option.text(
      '<place>',
      'where the conversation works: worktree or checkout, the project’s folder',
    ),
    last: option.wholeNumber(
      '<number>',
      `show so many of the last messages (${defaultLast}), and read nothing that is piped in`,
      maxLast,
    ),
  },
  examples: [
    ['chat claude', 'talk to claude in its only project; Ctrl-D ends'],
    [
      'chat claude --project website --message "How far are you?" --wait',
      'ask once and print the answer',
    ],
    [
      'chat claude --wait < question.txt',
      'send what is in a file or piped in, and print the answer to it',
    ],
    ['chat claude --workplace worktree', 'have it work in a worktree of its own'],
    [
      'chat claude --new --message "Fix the failing test"',
      'begin a session beside the others, and print its key',
    ],
    ['chat claude --json --last 50', 'what was said, for a program'],
  ],
  async run(context, given) {
    const last = given.last ?? defaultLast
    const waitSeconds = given.timeout ?? defaultWaitSeconds
    const content = given.message ?? (given.last === undefined ? await piped(context) : undefined)
    if (content === undefined && given.wait)
      throw usage('--wait needs a message.', 'Say what to send: --message "…", or pipe it in.')
    const workplace = workplaceTyped(given.workplace)
    const agentId = given.agent
    const { id: projectId } = await chooseProject(context, agentId)
    const first = { projectId, agentId, conversationKey: webKey(projectId, agentId), isFirst: true }
    if (given.new && content === undefined)
      throw usage('--new needs a message.', 'Say what to send: --message "…", or pipe it in.')
    if (given.new && !given.wait) {
      const begun = await beginSession(context, first, { content, workplace })
      return context.finished(begun, `Began ${begun.key} with ${agentId}`)
    }
    const begun = given.new
      ? await beginSession(context, first, { content: undefined, workplace })
      : undefined
    const place = begun ? { ...first, conversationKey: begun.key, isFirst: false } : first
    if (content !== undefined)
      return sendOne(context, place, {
        content,
        workplace,
        waitMs: given.wait ? waitSeconds * 1000 : null,
      })
    if (!isInteractive(context.terminal) || context.json) return showLast(context, place, last)
    // A panel of its own, so that closing another does not end this chat, nor the other way round
    // (CH5).
    const panelId = randomness.uuid()
    await context.client.post('/api/projects/{projectId}/chat/start', {
      params: { projectId },
      query: { agentId, panelId, workplace },
    })
    context.end()
    try {
      await chatInTerminal(context, { ...place, panelId }, last)
    } finally {
      const end = '/api/projects/{projectId}/agents/{agentId}/chat/end'
      const once = { timeoutMs: goodbyeMs, retries: 0 }
      // If this fails, the panel expires by itself.
      await context.client
        .post(end, { params: { projectId, agentId }, query: { panelId }, ...once })
        .catch(() => {})
    }
  },
})
