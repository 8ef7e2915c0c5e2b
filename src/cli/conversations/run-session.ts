/**
 * `holdfast run` without a console: begins a session with one prompt, prints what its agent says
 * and does, and answers what it asks for. The session stays, and can be gone on with.
 */
import type { Client } from '../../client/client.ts'
import { watchEvents } from '../../client/event-stream.ts'
import { ProblemError } from '../../client/failures.ts'
import type { RelayEvent } from '../../client/relay-messages.ts'
import { conversationStream, projectStream, turnsStream } from '../../domain/stream-name.ts'
import { onInterrupt } from '../../platform/processes/signals.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import { joinStreams } from '../../protocol/stream-list.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import { RelayLines } from '../consoles/relay-lines.ts'
import { Permissions, type SendAnswer } from '../consoles/run-permissions.ts'
import { cancelled, changesFor, type Ending, judge } from '../consoles/run-turn.ts'
import type { CommandContext } from '../context.ts'
import { failed, signedOut } from '../failure.ts'

interface RunInSession {
  readonly projectId: string
  readonly agentId: string
  readonly prompt: string
  readonly attached: readonly PromptPart[]
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly allow: boolean
  readonly goOn: boolean
}

/**
 * Returns false, and leaves nothing, where mode or model cannot be chosen yet: what an agent offers
 * is known once it has run.
 */
export async function runInSession(context: CommandContext, run: RunInSession): Promise<boolean> {
  const { client } = context
  const { projectId, agentId } = run
  const { key } = await client.post('/api/projects/{projectId}/conversations', {
    params: { projectId },
    body: { agentId, clientId: randomness.uuid() },
  })
  if (run.mode !== undefined || run.model !== undefined) {
    const offered = await client.get('/api/conversations/{key}/options', { params: { key } })
    const isKnown = offered.modes.length + offered.options.length > 0
    if (!isKnown) await client.delete('/api/conversations/{key}', { params: { key } })
    if (!isKnown) return false
    for (const change of changesFor(run, offered)) await choose(client, key, change)
  }
  const lines = new RelayLines(context, false)
  context.end()
  try {
    await follow(context, { ...run, key }, lines)
  } finally {
    lines.endLine()
    lines.note(context.hint(`It stays: holdfast sessions show ${key}`))
  }
  return true
}

const choose = (client: Client, key: string, body: ConfigChange): Promise<unknown> =>
  client.post('/api/conversations/{key}/options', { params: { key }, body })

/** Sends the prompt, and ends with its turn. */
async function follow(
  context: CommandContext,
  run: RunInSession & { readonly key: string },
  lines: RelayLines,
): Promise<void> {
  const { client } = context
  const { key, projectId, prompt, attached, allow, goOn } = run
  const params = { key }
  const streams = [conversationStream(key), turnsStream(key), projectStream(projectId)]
  const { cursor } = await client.get('/api/snapshot', { query: { streams: joinStreams(streams) } })
  const ended = Promise.withResolvers<Ending>()
  ended.promise.catch(() => {})
  let sent: Message | undefined
  let turnId: string | undefined
  const interrupt = (): void => {
    if (turnId !== undefined) return void stop(client, key).catch(ended.reject)
    if (sent) void withdraw(client, key, sent.seq).catch(() => {})
    ended.reject(cancelled())
  }
  const send: SendAnswer = ({ approvalId, options }, answer) => {
    const optionId = 'optionId' in answer ? answer.optionId : undefined
    const kind = options.find((option) => option.optionId === optionId)?.kind
    const isAllowed = 'outcome' in answer ? answer.outcome === 'allowed' : kind?.startsWith('allow')
    return client.post('/api/approvals/{approvalId}/decision', {
      params: { approvalId: String(approvalId) },
      body: { status: isAllowed ? 'approved' : 'rejected', optionId },
    })
  }
  const permissions = new Permissions(context, send, { allow, lines, interrupt })
  let printed = ''
  let hasGap = false
  const end = (ending: Ending): void => {
    if (hasGap && !context.json) lines.say(run.agentId, restOf(ending.content, printed))
    lines.show(ending)
    if (!(goOn && ending.limitedUntil !== undefined)) ended.resolve(ending)
  }
  /** Some events were passed over, perhaps the end: what came of the turn is in the record. */
  const lookUp = async (): Promise<void> => {
    hasGap = true
    const query = { limit: 1 }
    const { items } = await client.get('/api/conversations/{key}/turns', { params, query })
    const [turn] = items
    if (turn && turn.state !== 'queued' && turn.state !== 'running') end(endingOf(turn))
  }
  const onEvent = (event: HoldfastEvent): void => {
    if (!('data' in event)) return
    const { type, data } = event
    if (type === 'process-held' && data.process.conversationKey === key)
      return ended.reject(failedToStart(data.process.detail))
    if (type === 'chat-limited' && data.until !== null) {
      lines.note(`Limit reached, until ${data.until}${data.goesOn ? '; it goes on by itself' : ''}`)
      if (goOn && !data.goesOn)
        client
          .post('/api/conversations/{key}/go-on', { params, body: { goOn: true } })
          .catch(ended.reject)
    }
    if (event.stream !== turnsStream(key)) return
    const inRelay = { type, sessionId: key, seq: event.seq, timestamp: event.at, ...data }
    const turnEvent = inRelay as unknown as RelayEvent
    if (turnEvent.type === 'agent:prompted') {
      turnId = turnEvent.messageId
      printed = ''
    }
    permissions.take(turnEvent)
    if (turnEvent.type === 'agent:response') return end(turnEvent)
    const text = textIn(turnEvent)
    if (!hasGap) printed += text
    // Behind a gap it is printed at the end, whole and in order.
    if (!hasGap || text === '' || context.json) lines.show(turnEvent)
  }
  const watch = watchEvents(client, {
    streams,
    after: cursor,
    onEvent,
    onSnapshot: () => void lookUp().catch(ended.reject),
    onState: (now) => {
      if (now.state === 'reconnecting') lines.note('The connection is lost; trying again.')
      if (now.state === 'signed-out') ended.reject(signedOut())
      if (now.state === 'refused') ended.reject(failed(now.problem.detail, now.problem.next ?? ''))
    },
  })
  const stopListening = onInterrupt(interrupt)
  try {
    const media = attached.length === 0 ? {} : { media: [...attached] }
    const body = { projectId, conversationKey: key, content: prompt, ...media }
    sent = await client.post('/api/chat', { body: { ...body, clientId: randomness.uuid() } })
    judge(await ended.promise)
  } finally {
    stopListening()
    permissions.close()
    watch.close()
  }
}

const textIn = (event: RelayEvent): string =>
  event.type === 'agent:update' && event.update.kind === 'text' ? event.update.text : ''

const restOf = (text: string, printed: string): string =>
  text.startsWith(printed) ? text.slice(printed.length) : `\n${text}`

const endingOf = (turn: ConversationTurn): Ending => ({
  type: 'agent:response',
  sessionId: turn.conversationKey,
  seq: 0,
  timestamp: turn.endedAt ?? turn.createdAt,
  role: turn.agentId,
  messageId: turn.id,
  content: turn.text,
  cut: turn.cut,
  stopReason: turn.stopReason ?? turn.state,
  error: turn.error,
  usage: turn.usage,
})

const failedToStart = (why: string | null): Error =>
  failed(
    why ?? 'Its agent could not be started.',
    '`holdfast doctor` checks the agent and its command; the message is kept.',
    'agent_failed',
  )

async function stop(client: Client, key: string): Promise<void> {
  await client.post('/api/conversations/{key}/stop', { params: { key } }).catch((error) => {
    // The turn has just ended by itself.
    if (!(error instanceof ProblemError) || error.problem.code !== 'wrong_state') throw error
  })
}

const withdraw = (client: Client, key: string, seq: number): Promise<unknown> =>
  client.post('/api/conversations/{key}/messages/{seq}/withdraw', {
    params: { key, seq: String(seq) },
  })
