/**
 * Chat in the terminal: prints the last messages and new ones as they arrive, and sends every typed
 * line. Survives lost connections; nothing typed is lost or sent twice while it runs (CH10).
 */

import { createInterface } from 'node:readline'
import { backoffMs, clientClock, pause } from '../../client/backoff.ts'
import type { Client } from '../../client/client.ts'
import { type StreamState, watchEvents } from '../../client/event-stream.ts'
import { ProblemError, UnreachableError } from '../../client/failures.ts'
import { inReadingOrder } from '../../domain/conversations/messages.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import { visible } from '../../platform/log/visible.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { ConversationState } from '../../protocol/snapshot.ts'
import { watchNews } from '../agents/agent-news.ts'
import type { CommandContext } from '../context.ts'
import { type CommandFailure, leftBy, signedOut } from '../failure.ts'
import { chatLine, pausedWords, waitsWords, workplaceWords } from './chat-lines.ts'

// Messages typed and not yet acknowledged by the server, sent in order (CH10). After a lost
// connection they are sent again with the same client id, so each appears in the chat once.

interface OutboxOptions {
  readonly client: Client
  readonly projectId: string
  readonly agentId: string
  readonly newId: () => string
  /** Called with a message that was refused permanently. */
  readonly onRefused: (content: string, error: unknown) => void
  /** Called once per lost connection when a message has to wait. */
  readonly onWaiting: () => void
}

const maxWaiting = 200
const backoff = { firstMs: 250, maxMs: 5_000 }

class ChatOutbox {
  readonly #options: OutboxOptions
  readonly #ours = new Set<string>()
  readonly #closing = new AbortController()
  #waiting = 0
  /** Serialises sending, so that the chat has the order in which messages were typed. */
  #last: Promise<unknown> = Promise.resolve()
  #wake = new AbortController()

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Whether a received message was typed here; asked once per message. */
  wasOurs(clientId: string | null): boolean {
    return clientId !== null && this.#ours.delete(clientId)
  }

  /** Resolves with the message when it is durable; undefined when it was refused. */
  send(content: string): Promise<Message | undefined> {
    if (this.#waiting >= maxWaiting) {
      this.#options.onRefused(content, new Error(`${maxWaiting} messages wait already`))
      return Promise.resolve(undefined)
    }
    const clientId = this.#options.newId()
    this.#ours.add(clientId)
    this.#waiting++
    const sent = this.#last
      .then(() => this.#deliver(content, clientId))
      .finally(() => this.#waiting--)
    this.#last = sent.catch(() => undefined)
    return sent
  }

  /** Retries at once after a reconnect. */
  connected(): void {
    this.#wake.abort()
  }

  async flush(): Promise<void> {
    await this.#last
  }

  close(): void {
    this.#closing.abort()
  }

  async #deliver(content: string, clientId: string): Promise<Message | undefined> {
    const { client, projectId, agentId, onRefused, onWaiting } = this.#options
    for (let attempt = 0; ; attempt++) {
      if (this.#closing.signal.aborted) return undefined
      try {
        const body = { projectId, toAgentId: agentId, content, clientId }
        return await client.post('/api/chat', { body, signal: this.#closing.signal, retries: 0 })
      } catch (error) {
        if (this.#closing.signal.aborted) return undefined
        if (!mayPass(error)) {
          this.#ours.delete(clientId)
          onRefused(content, error)
          return undefined
        }
        if (attempt === 0) onWaiting()
        this.#wake = new AbortController()
        const signal = AbortSignal.any([this.#wake.signal, this.#closing.signal])
        await pause(clientClock, backoffMs(backoff, attempt, Math.random), signal).catch(() => {})
      }
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof UnreachableError) return error.reason !== 'foreign'
  return (
    error instanceof ProblemError && (error.problem.status === 429 || error.problem.status === 503)
  )
}

export interface ChatPlace {
  readonly projectId: string
  readonly agentId: string
  readonly conversationKey: string
  readonly panelId: string
}

const flushMs = 10_000

export async function chatInTerminal(
  context: CommandContext,
  place: ChatPlace,
  last: number,
): Promise<void> {
  const { stdin, stdout, stderr } = context.terminal
  const stream = conversationStream(place.conversationKey)
  const { cursor, state } = await context.client.get('/api/snapshot', {
    query: { streams: stream },
  })
  // The prompt is drawn on standard error; standard output has only messages.
  const lines = createInterface({
    input: stdin,
    output: stderr as NodeJS.WritableStream,
    prompt: '> ',
  })
  let shownSeq = 0
  let ended = false

  const say = (text: string, output = stdout): void => {
    stderr.write('\r\u001b[K')
    output.write(`${text}\n`)
    if (!ended) lines.prompt(true)
  }
  const note = (text: string): void => say(context.paint('dim', text), stderr)
  const showMessages = (messages: readonly Message[]): void => {
    const fresh = inReadingOrder(messages.filter((each) => each.seq > shownSeq && each.visible))
    shownSeq = Math.max(shownSeq, ...fresh.map(({ seq }) => seq))
    for (const message of fresh)
      if (!outbox.wasOurs(message.clientId)) say(chatLine(message, context.paint))
  }
  const showAll = (found: ConversationState | undefined, most: number): void =>
    showMessages((found?.messages ?? []).slice(0, most).toReversed())
  const outbox = new ChatOutbox({
    ...place,
    client: context.client,
    newId: randomness.uuid,
    onRefused: (content, error) =>
      note(
        `✗ not sent: ${visible(content)} (${error instanceof Error ? visible(error.message) : 'refused'})`,
      ),
    onWaiting: () => note('The server does not answer; what you write is sent when it is back.'),
  })

  showAll(state[stream] as ConversationState | undefined, last)
  const found = (state[stream] as ConversationState | undefined)?.conversation
  if (found?.workplace) note(`Works in ${workplaceWords(found.workplace)}`)
  if (found?.paused) note(`What waits is paused ${pausedWords(found.paused, found.key)}`)
  if (found?.waitsFor) note(`Waits ${waitsWords(found.key)}`)
  note('Write a line to send it; Ctrl-D ends.')
  let failure: CommandFailure | undefined
  let wasLive = false
  const onState = (now: StreamState): void => {
    if (now.state === 'live') {
      if (wasLive) note('Connected again.')
      wasLive = true
      outbox.connected()
    } else if (now.state === 'reconnecting') note('The connection is lost; trying again.')
    else {
      failure = signedOut(now.state === 'refused' ? now.problem.detail : undefined)
      lines.close()
    }
  }
  const watch = watchEvents(context.client, {
    streams: [stream],
    panels: [place.panelId],
    after: cursor,
    onEvent: (event) => {
      if (event.type === 'message-added' && 'data' in event) showMessages([event.data.message])
    },
    onSnapshot: (snapshot) => {
      // A restored store numbers events anew.
      shownSeq = 0
      showAll(snapshot.state[stream] as ConversationState | undefined, last)
    },
    onState,
  })
  const news = watchNews(context.client, place, (words) => note(context.hint(words)))
  lines.on('line', (line) => {
    if (line.trim() !== '') void outbox.send(line)
    lines.prompt()
  })
  lines.on('SIGINT', () => {
    failure = leftBy('the chat')
    lines.close()
  })
  await new Promise<void>((resolve) => lines.once('close', resolve))
  ended = true
  // Moves the shell's prompt below the line being typed.
  stderr.write('\n')
  const stopWaiting = clientClock.after(flushMs, () => outbox.close())
  await outbox.flush()
  stopWaiting()
  watch.close()
  void news.then((heard) => heard.close())
  if (failure) throw failure
}
