/**
 * One session that an editor has open: follows its thread with the one fold (protocol/threads) and
 * tells the editor the differences. Keeps nothing that is not in the store.
 */
import type { PromptResponse } from '@agentclientprotocol/sdk/unstable'
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import { follow } from '../../protocol/threads/fold.ts'
import type { Thread } from '../../protocol/threads/thread-state.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { type FeedSink, Subscription } from '../../server/live/subscription.ts'
import type { FeedEvent } from '../../server/live/tail.ts'
import { findServing } from '../../services/agent-sessions/queries.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { promptSession } from '../../services/flows/conversations/prompt-session.ts'
import { withdrawMessage } from '../../services/flows/messages/withdraw-message.ts'
import { stopTurns } from '../../services/flows/turns/cancel-turn.ts'
import { readThread } from '../../services/system/read-thread.ts'
import { readTurnOfMessage } from '../../services/turns/turn-of-message.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import { Asks } from './asks.ts'
import type { Editor } from './client-link.ts'
import { noSuchThread } from './failures.ts'
import { type OpenPrompt, OpenPrompts } from './open-prompts.ts'
import { answerOf } from './prompt-answer.ts'
import type { messageOf } from './prompt-content.ts'
import { readPast } from './replay.ts'
import { endOf, type Position, positionText, ShownTurns, shownItems } from './shown-turns.ts'
import { StatusRow, waitingFor } from './status-row.ts'
import { ThreadSettings } from './thread-settings.ts'
import { promptChunks, textChunk } from './updates.ts'

/** Events that wait while the thread is read again; then the log is the buffer. */
const maxWaitingEvents = 500

export interface OpenedThread {
  readonly key: string
  readonly title: string | null
  /** Where its agent works, or the folder that the editor has open while there is no other. */
  readonly folder: string | null
  /** The one that the editor has open; null: not known. */
  readonly cwd: string | null
}

/** What the editor knows: everything, all turns that ended, or all up to a position. */
export type Known = 'all' | 'ended' | Position

export class OpenThread implements FeedSink {
  readonly about: OpenedThread
  readonly prompts = new OpenPrompts()
  readonly settings: ThreadSettings
  readonly #editor: Editor
  readonly #deps: ServerDependencies
  readonly #subscription: Subscription
  readonly #asks: Asks
  readonly #row: StatusRow
  readonly #shown = new ShownTurns()
  #thread: Thread | undefined
  /** What was shown last, or is not to be. */
  #at: Position = { seq: 0, turnId: 'none', item: 0, characters: 0 }
  #queue: FeedEvent[] = []
  #isStale = false
  #isLive = false
  /** Nothing has been told live yet. */
  #isNew = false
  #isWorking = false
  #isClosed = false
  #wake = (): void => {}

  constructor(about: OpenedThread, editor: Editor, deps: ServerDependencies) {
    this.about = about
    this.#editor = editor
    this.#deps = deps
    this.#subscription = new Subscription(deps.store, deps.tails, this, editor.link.who())
    this.settings = new ThreadSettings(about, editor, deps)
    this.#asks = new Asks(about.key, editor, deps, () => this.position)
    this.#row = new StatusRow({
      clock: deps.clock,
      words: () => this.#wordsOfWaiting(),
      tell: (update) => void editor.tell(about.key, update, this.position),
    })
  }

  /** Reads the thread and follows it. Nothing is told before `goLive`. */
  async open(from: Known): Promise<Thread> {
    const { store, app } = this.#deps
    const who = this.#editor.link.who()
    const thread = await app.read(readThread, { key: this.about.key }, who)
    const { turns, messages, handedOver } = thread.state
    this.#thread = thread
    if (from === 'all') this.#shown.pass(turns)
    else if (from === 'ended') this.#shown.pass(turns.filter(({ state }) => state !== 'running'))
    else this.#shown.passUntil(turns, from)
    const waiting = messages.find(({ seq }) => handedOver.includes(seq))?.seq
    const through = waiting === undefined ? messages.at(-1)?.seq : waiting - 1
    const passed = from === 'all' ? turns : turns.filter(({ state }) => state !== 'running')
    this.#at = typeof from === 'object' ? from : { ...endOf(passed.at(-1)), seq: through ?? 0 }
    const streams = Object.keys(thread.heads) as StreamName[]
    await app.watch(streams, who)
    const heads = new Map(Object.entries(thread.heads) as [StreamName, number][])
    await this.#subscription.follow(streams, encodeCursor(store.incarnation, heads), () => {})
    return thread
  }

  /** From now on differences are told, and what is asked is put to the editor. */
  goLive(): void {
    if (this.#isLive || this.#isClosed) return
    this.#isLive = true
    this.#isNew = true
    void this.#work()
    this.#lookForApprovals().catch((error: unknown) => this.failed(error))
  }

  /** Tells what has happened, up to what is told live. With a position, what is behind that. */
  async replay(after: Position | undefined): Promise<void> {
    const { turns: now = [] } = this.#thread?.state ?? {}
    const running = new Set(now.filter(({ state }) => state === 'running').map(({ id }) => id))
    const { key, folder } = this.about
    const past = await readPast(this.#deps, this.#editor.link.who(), { key, running })
    const { seq } = this.#at
    const shown = new ShownTurns()
    if (after) shown.passUntil(past.turns, after)
    else if (past.isCut) await this.#editor.tell(key, earlierTurns, this.position)
    for (const turn of past.turns) {
      if (!shown.has(turn)) {
        this.#at = { seq, turnId: turn.id, item: -1, characters: 0 }
        for (const update of promptChunks(turn)) await this.#editor.tell(key, update, this.position)
      }
      for (const { update, at } of shown.newIn([turn], { folder, shows: this.#editor.shows })) {
        this.#at = { seq, ...at }
        await this.#editor.tell(key, update, this.position)
      }
    }
    const last = past.turns.at(-1)
    if (last) this.#at = { seq, ...endOf(last) }
  }

  get full(): boolean {
    return this.#editor.link.isFull() || this.#queue.length >= maxWaitingEvents
  }

  async drained(): Promise<void> {
    await this.#editor.link.drained()
    if (this.#queue.length >= maxWaitingEvents && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
  }

  events(events: readonly FeedEvent[]): void {
    this.#queue.push(...events)
    void this.#work()
  }

  /** Some events were trimmed before they were read. */
  snapshot(): void {
    this.#isStale = true
    this.prompts.allOver()
    void this.#work()
  }

  failed(error: unknown): void {
    if (this.#isClosed) return
    this.prompts.failAll(error)
    this.#editor.link.fail(error)
  }

  lost(): void {
    this.prompts.failAll(noSuchThread(this.about.key))
    this.close()
  }

  close(): void {
    this.#isClosed = true
    this.#subscription.close()
    this.#asks.close()
    this.#row.close()
    this.#queue = []
    this.#wake()
  }

  async #work(): Promise<void> {
    if (this.#isWorking || !this.#isLive) return
    this.#isWorking = true
    try {
      while ((this.#queue.length > 0 || this.#isStale || this.#isNew) && !this.#isClosed) {
        this.#isNew = false
        for (const event of this.#queue.splice(0)) this.#take(event)
        if (this.#isStale) await this.#readAgain()
        this.#tell()
        await this.#tellSettings()
        await this.#answerPrompts()
        this.#wake()
      }
    } catch (error) {
      this.failed(error)
    } finally {
      this.#isWorking = false
    }
  }

  #take({ json }: FeedEvent): void {
    const event = JSON.parse(json) as HoldfastEvent
    if (!this.#thread) return
    this.#thread = follow(this.#thread, event)
    this.#isStale ||= this.#thread.state.isStale
    this.settings.take(event)
    if (!('data' in event)) return
    if (event.type === 'messages-read') this.prompts.over(event.data.seqs)
    if (event.type === 'message-withdrawn') this.prompts.over([event.data.seq])
    if (event.type === 'conversation-deleted') this.prompts.failAll(noSuchThread(this.about.key))
  }

  /** An agent that pulls asks in no turn of ours. */
  async #lookForApprovals(): Promise<void> {
    const goesOn = () => {
      const { turns = [], waiting = [] } = this.#thread?.state ?? {}
      const isBusy = waiting.length > 0 || turns.some(({ state }) => state === 'running')
      return this.settings.isPulled && (isBusy || !this.prompts.isEmpty)
    }
    await this.#asks.lookForApprovals(goesOn)
  }

  async #readAgain(): Promise<void> {
    this.#isStale = false
    const who = this.#editor.link.who()
    this.#thread = await this.#deps.app.read(readThread, { key: this.about.key }, who)
  }

  #tell(): void {
    const state = this.#thread?.state
    if (!state || this.#isClosed) return
    const { key, folder } = this.about
    if (state.turns.some((turn) => turn.state === 'running')) this.#row.over()
    for (const message of this.#newMessages(state.messages, state.handedOver)) {
      const kind = message.role === 'user' ? 'user_message_chunk' : 'agent_message_chunk'
      this.#at = { ...this.#at, seq: Math.max(this.#at.seq, message.seq) }
      const update = textChunk(kind, message.content, `message.${message.seq}`)
      void this.#editor.tell(key, update, this.position)
    }
    const { shows } = this.#editor
    for (const { update, at } of this.#shown.newIn(state.turns, { folder, shows })) {
      this.#at = { ...this.#at, ...at }
      void this.#editor.tell(key, update, this.position)
    }
    this.#shown.keep(state.turns)
    this.#asks.follow(state.turns, folder)
  }

  async #tellSettings(): Promise<void> {
    const offers = this.#thread?.state.offers
    if (!offers) return
    for (const update of await this.settings.news(offers))
      void this.#editor.tell(this.about.key, update, this.position)
  }

  /** Whether a prompt of this editor has not begun. */
  get #isWaiting(): boolean {
    const begun = this.#thread?.state.handedOver ?? []
    return this.prompts.all.some(({ seq }) => seq !== undefined && !begun.includes(seq))
  }

  async #wordsOfWaiting(): Promise<string | null | undefined> {
    if (!this.#isWaiting) return undefined
    const { key } = this.about
    const who = this.#editor.link.who()
    const found = await this.#deps.app.read(getConversation, { key, personId: who.id }, who)
    const isServed = await this.#deps.app.read(findServing, { key }, who)
    if (!this.#isWaiting) return undefined
    return waitingFor(found, this.#thread?.state.limit ?? null, isServed)
  }

  /** Behind what was told last. */
  get position(): string {
    return positionText(this.#at)
  }

  /**
   * A person's message is shown when its turn begins, unless this editor has sent it. An agent's is
   * its turn, which is shown as it goes; there is no turn to see of one that pulls, nor of what the
   * server says.
   */
  #newMessages(messages: readonly Message[], handedOver: readonly number[]): readonly Message[] {
    return messages.filter(({ seq, role, clientId }) => {
      if (seq <= this.#at.seq) return false
      if (role === 'user')
        return handedOver.includes(seq) && !clientId?.startsWith(this.#editor.mark)
      return role === 'assistant' && (this.settings.isPulled || clientId === null)
    })
  }

  /** Sends a prompt, and answers it when its turn is over. */
  async prompt(
    { content, media }: ReturnType<typeof messageOf>,
    clientId: string,
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    const prompt = this.prompts.add()
    try {
      const { key } = this.about
      const who = this.#editor.link.who()
      const draft = { key, content, clientId, by: who.id, scopes: who.scopes }
      const { message } = await this.#deps.app.run(
        promptSession,
        { ...draft, ...(media && { media: [...media] }) },
        who,
      )
      prompt.seq = message.seq
      // A tunnel may have sent the same before, and it may be answered long since.
      prompt.isOver = true
      if (prompt.isCancelled) await this.#stop([prompt])
      signal.addEventListener('abort', () => void this.#cancelOne(prompt))
      await this.#answerPrompts()
      await this.#row.look()
      await this.#lookForApprovals()
    } catch (error) {
      prompt.fail(error)
    }
    return prompt.answered
  }

  async #cancelOne(prompt: OpenPrompt): Promise<void> {
    if (this.#isClosed) return
    prompt.isCancelled = true
    await this.#stop([prompt]).catch((error: unknown) => prompt.fail(error))
  }

  /** Stops what runs, and withdraws what this editor has sent and does not run yet. */
  async cancel(): Promise<void> {
    const open = this.prompts.all
    for (const prompt of open) prompt.isCancelled = true
    await this.#stop(open, true)
  }

  async #stop(prompts: readonly OpenPrompt[], isAll = false): Promise<void> {
    const { app } = this.#deps
    const { key } = this.about
    const who = this.#editor.link.who()
    let runs = isAll
    for (const { seq } of prompts) {
      if (seq === undefined) continue
      const withdrawn = app.run(withdrawMessage, { key, seq, by: who.id }, who)
      runs = (await withdrawn.then(() => false, wasTooLate)) || runs
    }
    if (runs) await app.run(stopTurns, { key, by: who.id }, who).catch(wasTooLate)
  }

  /** Answers those whose turn is over, behind everything that came of it. */
  async #answerPrompts(): Promise<void> {
    for (const prompt of this.prompts.all) {
      if (!prompt.isOver || prompt.seq === undefined) continue
      const { key } = this.about
      const who = this.#editor.link.who()
      const message = { key, seq: prompt.seq }
      const { state, turn } = await this.#deps.app.read(readTurnOfMessage, message, who)
      if (state === 'queued' || state === 'running') {
        prompt.isOver = false
        continue
      }
      const seen = this.#thread?.state.turns.find(({ id }) => id === turn?.id)
      // The last words are still to come, in the other stream.
      if (seen?.state === 'running') continue
      if (turn && !seen && turn.startedAt !== null && !this.settings.isPulled) {
        await this.#readAgain()
        this.#tell()
      }
      if (turn?.stopReason === 'empty' && seen && shownItems(seen).length === 0)
        this.#say('The agent ended its turn without a word.', turn.id)
      if (!this.#isWaiting || this.prompts.all.length === 1) this.#row.over()
      try {
        const ended = turn ?? { state, stopReason: null, error: null, usage: null }
        prompt.answer(prompt.isCancelled ? { stopReason: 'cancelled' } : answerOf(ended))
      } catch (error) {
        prompt.fail(error)
      }
    }
  }

  #say(text: string, turnId: string): void {
    const update = textChunk('agent_message_chunk', text, `${turnId}.0`)
    void this.#editor.tell(this.about.key, update, this.position)
  }
}

const earlierTurns = textChunk(
  'agent_message_chunk',
  'There are earlier turns; the page of Holdfast has all of them.\n\n',
  'earlier',
)

/** Whether it began, or was over, meanwhile. */
function wasTooLate(error: unknown): true {
  if (error instanceof Refusal && (error.code === 'wrong_state' || error.code === 'not_found'))
    return true
  throw error
}
