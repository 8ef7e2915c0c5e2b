/**
 * `holdfast run`: one prompt to an agent in a role of its own (CL1, US). Prints the agent's text as it arrives; the exit code tells how
 * it ended. Survives lost connections; Ctrl-C cancels the turn.
 */

import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { type Client, newId } from '../../client/client.ts'
import { openRelay, type Relay } from '../../client/relay.ts'
import type { RelayEvent } from '../../client/relay-messages.ts'
import { isChoice } from '../../domain/approvals/permission.ts'
import { onInterrupt } from '../../platform/processes/signals.ts'
import type { RoleAgent, UserSession } from '../../protocol/consoles/user-session.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import { maxPromptChars, type PromptPart } from '../../protocol/turns/prompt.ts'
import { type Asked, askPermission } from '../approvals/ask-permission.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, failed, signedOut, usage } from '../failure.ts'
import { chooseProject, projectOption } from '../projects/choose-project.ts'
import { isInteractive } from '../terminal.ts'
import { findConsole } from './find-console.ts'
import { RelayLines } from './relay-lines.ts'

interface Run {
  /** One that is open already; left out, one of its own. */
  readonly console: UserSession | undefined
  readonly projectId: string
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
  readonly keep: boolean
}

async function runAgent(context: CommandContext, run: Run): Promise<void> {
  const lines = new RelayLines(context, false)
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => {})
  const relay = openRelay({
    ...(await context.connection()),
    onState: ({ state }) => {
      if (state === 'reconnecting') lines.note('The connection is lost; trying again.')
      // No further event comes after this.
      if (state === 'signed-out') over.reject(signedOut())
    },
  })
  context.end()
  try {
    if (run.console)
      return await oneTurn(
        context,
        relay,
        { ...placeIn(run.console, run), over: over.promise },
        run,
        lines,
      )
    const userSessionId = await relay.create(run.projectId)
    try {
      await oneTurn(
        context,
        relay,
        { userSessionId, lastSeq: 0, agent: undefined, over: over.promise },
        run,
        lines,
      )
      if (!run.keep) await completeWork(context.client, userSessionId, run.role).catch(() => {})
    } finally {
      lines.endLine()
      if (run.keep) lines.note(context.hint(`Kept: holdfast attach ${userSessionId}`))
      // If this fails, the session ends by itself later.
      else
        await relay.request({ type: 'session:terminate', sessionId: userSessionId }).catch(() => {})
    }
  } finally {
    lines.endLine()
    relay.close()
  }
}

/** The role in a console that is open already, which stays open. */
function placeIn(userSession: UserSession, { role, agentId }: Run): Omit<Place, 'over'> {
  const { id: userSessionId, headSeq: lastSeq, state, agents } = userSession
  if (state !== 'ACTIVE')
    throw failed(
      'This console has ended.',
      '`holdfast consoles` lists those that are open.',
      'user_session_terminated',
    )
  const agent = agents.find((each) => each.role === role)
  if (agent && agent.agentId !== agentId)
    throw failed(
      `The role ${role} of this console is held by ${agent.agentId}.`,
      'Name that agent, or another --role.',
      'role_taken',
    )
  return { userSessionId, lastSeq, agent: agent?.state === 'FAILED' ? undefined : agent }
}

/** Marks the work as completed, so that the end of the console does not count as an interruption. */
async function completeWork(client: Client, userSessionId: string, role: string): Promise<void> {
  const { projectId, agents } = await client.get('/api/user-sessions/{userSessionId}', {
    params: { userSessionId },
  })
  const workSessionId = agents.find((each) => each.role === role)?.workSessionId
  if (!workSessionId) return
  const params = { projectId, workSessionId }
  await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
    params,
    body: { completed: true },
  })
}

interface Place {
  readonly userSessionId: string
  /** Events up to this number are not ours. */
  readonly lastSeq: number
  /** The agent that holds the role already; undefined: it is spawned. */
  readonly agent: RoleAgent | undefined
  /** Rejects when the session can no longer be followed. */
  readonly over: Promise<never>
}

async function oneTurn(
  context: CommandContext,
  relay: Relay,
  { userSessionId, lastSeq, agent, over }: Place,
  run: Run,
  lines: RelayLines,
): Promise<void> {
  const { role, agentId, workspace, prompt, attached } = run
  const about = { sessionId: userSessionId, role }
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
  const permissions = new Permissions(context, relay, { allow: run.allow, lines, interrupt })
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

function changesFor(
  { mode, model }: Run,
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

const cancelled = (): CommandFailure =>
  new CommandFailure(
    'interrupted',
    'The turn was cancelled.',
    'What it did stays in its folder.',
    'cancelled',
  )

type Ending = Extract<RelayEvent, { type: 'agent:response' }>

function judge({ stopReason, error }: Ending): void {
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

interface Manner {
  readonly allow: boolean
  readonly lines: RelayLines
  readonly interrupt: () => void
}

/** Answers permission requests: as set by options, as the person decides, or not at all without a terminal. */
class Permissions {
  readonly #context: CommandContext
  readonly #relay: Relay
  readonly #manner: Manner
  readonly #open = new Map<number, AbortController>()
  /** Serialises questions. */
  #asking: Promise<void> = Promise.resolve()

  constructor(context: CommandContext, relay: Relay, manner: Manner) {
    this.#context = context
    this.#relay = relay
    this.#manner = manner
  }

  take(event: RelayEvent): void {
    if (event.type === 'permission:resolved') this.#open.get(event.approvalId)?.abort()
    if (event.type !== 'permission:requested') return
    const taken = new AbortController()
    this.#open.set(event.approvalId, taken)
    this.#asking = this.#asking.then(() => this.#answer(event, taken.signal)).catch(() => {})
  }

  close(): void {
    for (const taken of this.#open.values()) taken.abort()
  }

  async #answer(asked: Asked, signal: AbortSignal): Promise<void> {
    const { terminal, json } = this.#context
    const { allow, lines, interrupt } = this.#manner
    if (signal.aborted) return
    lines.endLine()
    const about = {
      type: 'permission:answer',
      sessionId: asked.sessionId,
      approvalId: asked.approvalId,
    } as const
    if (allow) {
      const isQuestion = isChoice(asked.options)
      const canAllow = !isQuestion && asked.options.some(({ kind }) => kind === 'allow_once')
      if (isQuestion)
        lines.note(`Not answered, because only a person answers a question: ${asked.title}.`)
      else if (!canAllow)
        lines.note(`Denied, because the agent offers no way to allow it once: ${asked.title}.`)
      await this.#relay.request({ ...about, outcome: canAllow ? 'allowed' : 'denied' })
    } else if (isInteractive(terminal) && !json) {
      const optionId = await askPermission(terminal, { asked, signal, onInterrupt: interrupt })
      if (optionId !== undefined) await this.#relay.request({ ...about, optionId })
      // Leaving without an answer denies the request.
      else if (!signal.aborted) await this.#relay.request({ ...about, outcome: 'denied' })
    } else {
      lines.note(
        `Denied, because nobody is here to ask: ${asked.title}. --allow allows what it asks for.`,
      )
      await this.#relay.request({ ...about, outcome: 'denied' })
    }
  }
}

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** Reads a file attached to a prompt (AG6): an image by its extension, otherwise text. Limited to what the server accepts (SE8). */
export async function readAttachment(path: string): Promise<PromptPart> {
  const name = basename(path)
  const bytes = await readFile(path).catch((error: Error) => {
    throw usage(`${name} cannot be read: ${error.message}`, 'Name a file that is there.')
  })
  const mimeType = imageTypes[extname(name).toLowerCase()]
  const part: PromptPart = mimeType
    ? { type: 'image', mimeType, base64: bytes.toString('base64') }
    : { type: 'file', name, mimeType: 'text/plain', text: textOf(bytes, name) }
  const length = part.type === 'image' ? part.base64.length : bytes.length
  if (length > maxPromptChars)
    throw usage(
      `${name} is too large to go with a prompt.`,
      `At most ${maxPromptChars / 1000} kB fit.`,
    )
  return part
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw usage(
      `${name} is neither text nor a picture.`,
      'Pictures end in .png, .jpg, .gif or .webp.',
    )
  }
}

const defaultRole = 'run'

async function start(context: CommandContext): Promise<void> {
  const agentId = context.operand(0)
  const prompt = (await promptOf(context)).trim()
  if (prompt === '')
    throw usage(
      'There is nothing to say to it.',
      `Say it: holdfast run ${agentId} "…", or pipe it in.`,
    )
  const named = context.text('console')
  const console = named === undefined ? undefined : await findConsole(context.client, named)
  const { id: projectId } = console
    ? { id: console.projectId }
    : await chooseProject(context, agentId)
  const role = context.text('role') ?? defaultRole
  const workspace = context.text('workspace')
  const attached = await Promise.all(
    (context.values('attach') ?? []).map((path) =>
      readAttachment(resolve(context.terminal.cwd, path)),
    ),
  )
  const { allow, goOn, keep } = {
    allow: context.flag('allow'),
    goOn: context.flag('go-on'),
    keep: context.flag('keep'),
  }
  const [mode, model] = [context.text('mode'), context.text('model')]
  await runAgent(context, {
    console,
    projectId,
    agentId,
    role,
    workspace,
    prompt,
    attached,
    mode,
    model,
    allow,
    goOn,
    keep,
  })
}

async function promptOf(context: CommandContext): Promise<string> {
  const { stdin } = context.terminal
  const typed = context.optionalOperand(1)
  if (typed !== undefined && typed !== '-') return typed
  return typed === undefined && stdin.isTTY ? '' : readAll(stdin)
}

export const run = command(start)`
  Give an agent one prompt and print what it says as it comes
  <agent>  id of an agent that speaks ACP
  [prompt]  what to say; left out or -, it is read from standard input
  ${projectOption}
  --console <console>  one that is open already, by its id or the end of it; it stays open. Left out, one of its own
  --role <role>  what it is called there; names its branch (${defaultRole})
  --workspace <path>  its folder, below that of the console; named after the role when left out
  --mode <mode>  the mode it works in, of those it offers
  --model <model>  the model it uses, of those it offers
  --attach <file>...  a picture or a text file that goes with the prompt
  --allow  allow, once each, whatever it asks for
  --go-on  at the limit of its vendor, wait until that is over and go on
  --keep  keep the console open afterwards, to attach to it
  $ run demo "Say hello"  ask and print the answer; the exit code tells how it ended
  $ run claude --console 4d2f1a --role reviewer "Look at the diff"  speak to a role of a console that is open, or fill it
  $ run claude --allow "Fix the failing test" --project website  let it do what it asks for, on a branch of its own
  $ run demo --json < prompt.txt  every event as a line of JSON`
