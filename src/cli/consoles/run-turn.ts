/**
 * One turn of `holdfast run`: follows the role, sets mode and model, sends the prompt and waits
 * until it has ended.
 */
import { newId } from '../../client/client.ts'
import type { Relay } from '../../client/relay.ts'
import type { RelayEvent } from '../../client/relay-messages.ts'
import { onInterrupt } from '../../platform/processes/signals.ts'
import type { RoleAgent } from '../../protocol/consoles/user-session.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, failed, usage } from '../failure.ts'
import type { RelayLines } from './relay-lines.ts'
import { Permissions, type SendAnswer } from './run-permissions.ts'

export interface TurnGiven {
  readonly agentId: string
  readonly role: string
  readonly workspace: string | undefined
  readonly prompt: string
  readonly attached: readonly PromptPart[]
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly allow: boolean
  /** AG6: waits at a usage limit and continues afterwards. */
  readonly goOn: boolean
}

/** Where the turn takes place. */
export interface RoleInConsole {
  readonly userSessionId: string
  /** Events up to this number are not ours. */
  readonly lastSeq: number
  /** The agent that holds the role already; undefined: it is spawned. */
  readonly agent: RoleAgent | undefined
  /** Rejects when the session can no longer be followed. */
  readonly over: Promise<never>
}

export async function runTurn(
  context: CommandContext,
  relay: Relay,
  { userSessionId, lastSeq, agent, over }: RoleInConsole,
  run: TurnGiven,
  lines: RelayLines,
): Promise<void> {
  const { role, agentId, workspace, prompt, attached } = run
  const inConsole = { sessionId: userSessionId }
  const about = { ...inConsole, role }
  const {
    promise: ready,
    resolve: becameReady,
    reject: neverReady,
  } = Promise.withResolvers<Ready>()
  let configuring: PromiseWithResolvers<void> | undefined
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<Ending>()
  // Avoids an unhandled rejection; the other promise reports it too.
  ready.catch(() => {})
  ended.catch(() => {})
  const stop = (error: Error): void => {
    neverReady(error)
    fail(error)
  }
  over.catch(stop)
  const requestId = newId()
  /** Our turn: nothing sent, waiting behind another's in the role, or begun. */
  let turn: { readonly messageId: string; readonly begun: boolean } | undefined
  const interrupt = (): void => {
    if (turn?.begun) return void relay.request({ type: 'agent:cancel', ...about }).catch(stop)
    if (turn)
      relay.request({ type: 'agent:withdraw', ...about, messageId: turn.messageId }).catch(stop)
    stop(cancelled())
  }
  const send: SendAnswer = ({ approvalId }, answer) =>
    relay.request({ type: 'permission:answer', ...inConsole, approvalId, ...answer })
  const permissions = new Permissions(context, send, { allow: run.allow, lines, interrupt })
  const unfollow = relay.follow({
    userSessionId,
    lastSeq,
    onEvent: (event) => {
      if ('role' in event && event.role !== role) return
      if (event.type === 'agent:queued' || event.type === 'agent:prompted') {
        const isOurs = event.requestId === requestId || event.messageId === turn?.messageId
        if (isOurs) turn = { messageId: event.messageId, begun: event.type === 'agent:prompted' }
      }
      // What the agent says to others before is not for us.
      if (agent && !turn?.begun && ofATurn.has(event.type)) return
      lines.show(event)
      permissions.take(event)
      if (event.type === 'agent:ready') becameReady(event)
      else if (event.type === 'agent:configured') {
        if (event.error === null) configuring?.resolve()
        else
          configuring?.reject(
            failed(event.error, 'Leave --mode or --model out to see what it offers.', 'not_set'),
          )
      } else if (event.type === 'agent:response') {
        if (!run.goOn || event.limitedUntil === undefined) end(event)
      } else if (
        event.type === 'agent:limited' &&
        run.goOn &&
        event.until !== null &&
        !event.goesOn
      )
        relay.request({ type: 'agent:go-on', ...about, goOn: true }).catch(stop)
      else if (event.type === 'agent:failed') stop(failureOf(event))
      else if (event.type === 'agent:terminated' || event.type === 'session:terminated')
        stop(failed('Its agent was ended before it answered.', 'Run it again.', 'agent_ended'))
    },
    // Follows from the first event, so no snapshot is needed.
    onSnapshot: () => {},
    onRefused: (problem) => stop(failed(problem.detail, problem.next, problem.code)),
  })
  const stopListening = onInterrupt(interrupt)
  try {
    if (!agent)
      await relay.request({
        type: 'agent:spawn',
        ...about,
        agentId,
        ...(workspace !== undefined && { workspace }),
      })
    const offered = agent?.state === 'ACTIVE' ? agent : await ready
    for (const change of changesFor(run, offered)) {
      configuring = Promise.withResolvers<void>()
      await relay.request({ type: 'agent:configure', ...about, change })
      await Promise.race([configuring.promise, ended])
    }
    const content =
      attached.length === 0 ? prompt : [{ type: 'text', text: prompt } as const, ...attached]
    await relay.request({ type: 'agent:message', ...about, content }, requestId)
    judge(await ended)
  } finally {
    stopListening()
    permissions.close()
    unfollow()
  }
}

/** What an agent does within a turn. */
const ofATurn: ReadonlySet<RelayEvent['type']> = new Set([
  'agent:update',
  'agent:response',
  'agent:limited',
  'permission:requested',
  'permission:resolved',
])

type Ready = Extract<RelayEvent, { type: 'agent:ready' }>

export function changesFor(
  { mode, model }: Pick<TurnGiven, 'mode' | 'model'>,
  { modes, options }: Pick<Ready, 'modes' | 'options'>,
): ConfigChange[] {
  const changes: ConfigChange[] = []
  const among = (category: string) => options.find((option) => option.category === category)
  const chosen = (
    what: string,
    wanted: string,
    values: readonly { id: string; name: string }[],
  ): string => {
    const found = values.find(({ id, name }) => id === wanted || name === wanted)
    if (found) return found.id
    const there = values.map(({ id }) => id).join(', ')
    throw usage(
      `The agent offers no ${what} ${wanted}.`,
      there === '' ? `It offers none.` : `It offers ${there}.`,
    )
  }
  if (mode !== undefined) {
    const option = among('mode')
    if (option) changes.push({ optionId: option.id, value: chosen('mode', mode, option.values) })
    else changes.push({ modeId: chosen('mode', mode, modes) })
  }
  if (model !== undefined) {
    const option = among('model')
    changes.push({
      optionId: option?.id ?? '',
      value: chosen('model', model, option?.values ?? []),
    })
  }
  return changes
}

export const cancelled = (): CommandFailure =>
  new CommandFailure(
    'interrupted',
    'The turn was cancelled.',
    'What it did stays in its folder.',
    'cancelled',
  )

export type Ending = Extract<RelayEvent, { type: 'agent:response' }>

export function judge({ stopReason, error }: Ending): void {
  if (stopReason === 'end_turn') return
  if (stopReason === 'cancelled') throw cancelled()
  if (stopReason === 'denied')
    throw failed(error ?? 'It was denied.', 'Say how else it is to be done, or allow it.', 'denied')
  throw failed(
    error ?? `It stopped: ${stopReason}.`,
    'What it did stays in its folder.',
    stopReason,
  )
}

function failureOf({ step, error }: Extract<RelayEvent, { type: 'agent:failed' }>): CommandFailure {
  const next =
    step === 'running'
      ? 'What it did stays in its folder.'
      : '`holdfast doctor` checks the agent and its command.'
  return failed(error, next, 'agent_failed')
}
