/**
 * Runs the directives of a prompt in this process and reports as an ACP agent does. Writes only
 * below its folder.
 */
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ClientNotificationParamsByMethod,
  type CreateElicitationResponse,
  type PermissionOption,
  RequestError,
  type RequestPermissionOutcome,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import { asksForSummary } from '../../domain/turns/prompts.ts'
import {
  commandOf,
  forkChild,
  readBelow,
  runCommand,
  type ToolUse,
  toolFor,
  writeBelow,
} from '../actions.ts'
import { type Directive, stepsIn } from '../directives.ts'

export type AcpUpdate = ClientNotificationParamsByMethod['session/update']['update']

/** Behaviour of the process, changed by directives. */
export interface Habits {
  ignoresCancel: boolean
  /** Whether the process exits when its input ends. */
  leavesAtEnd: boolean
  /** End of a simulated usage limit; undefined when there is none or its end was seen. */
  limitedUntil: number | undefined
}

export interface TurnOptions {
  readonly folder: string
  readonly careful: boolean
  readonly habits: Habits
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal
  readonly ignoreSigterm: () => void
  readonly writeRaw: (text: string) => Promise<void>
  readonly tell: (update: AcpUpdate) => Promise<void>
  readonly say: (text: string) => Promise<void>
  /** Returns all prompts of this conversation, this one included. */
  readonly recall: () => string
  /** Calls one of the tools of the conversation; returns the result in words. */
  readonly useTool: (use: ToolUse) => Promise<string>
  readonly askQuestion: (message: string) => Promise<CreateElicitationResponse>
  readonly ask: (
    toolCall: ToolCallUpdate,
    options: readonly PermissionOption[],
  ) => Promise<RequestPermissionOutcome>
}

const floodPiece = 64 * 1024
const crashExitCode = 1

const options: readonly PermissionOption[] = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'yes-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Refuse', kind: 'reject_once' },
]

/** Thrown when the answer to a permission request is that the turn is over. */
export class TurnCancelled extends Error {}

/** Rejects when the turn is cancelled. */
export async function takeTurn(prompt: string, options: TurnOptions): Promise<void> {
  const turn = new Turn(options)
  if (limitLeft(options.habits) > 0) throw limitReached(options.habits)
  if (asksForSummary(prompt)) return options.say('A conversation with the demo agent.')
  for (const step of stepsIn(prompt)) {
    options.signal.throwIfAborted()
    await turn.runDirective(step)
  }
}

const limitLeft = ({ limitedUntil = 0 }: Habits): number =>
  Math.ceil((limitedUntil - Date.now()) / 1000)

/** Worded like the errors of vendors' agents. */
const limitReached = (habits: Habits): RequestError =>
  RequestError.internalError(
    undefined,
    `You've hit your usage limit. Try again in ${limitLeft(habits)} seconds.`,
  )

class Turn {
  readonly #options: TurnOptions
  #calls = 0
  #hasWritten = false
  /** Set when a person has refused: changes are skipped from then on. */
  #refused = false

  constructor(options: TurnOptions) {
    this.#options = options
  }

  async runDirective(step: Directive): Promise<void> {
    const { habits, signal, ignoreSigterm } = this.#options
    switch (step.do) {
      case 'echo':
        return this.#say(`echo: ${step.text}`)
      case 'say':
        return this.#say(step.text)
      case 'title':
        return this.#options.tell({ sessionUpdate: 'session_info_update', title: step.text })
      case 'slow':
        return this.#saySlowly(step.count, step.ms)
      case 'ask':
        return this.#say(
          (await this.#mayI(wishOf(step.text), 'other', { wish: step.text || 'go on' }))
            ? 'allowed'
            : 'refused',
        )
      case 'question':
        return this.#say(await this.#askQuestion(step.text || 'Which colour?'))
      case 'record':
      case 'checkpoint':
      case 'tell':
        return this.#say(await this.#options.useTool(toolFor(step)))
      case 'tool':
        return this.#callTool(toolFor(step))
      case 'write':
        return this.#write(step)
      case 'run':
        return this.#run(commandOf(step.text))
      case 'recall':
        return this.#say(this.#options.recall())
      case 'plan':
        return this.#plan()
      case 'flood':
        await this.#flood(step.bytes)
        return this.#say(`flooded ${step.bytes} bytes`)
      case 'hang':
        await pause(2 ** 31 - 1, undefined, { signal })
        return
      case 'crash':
        process.stderr.write('The demo agent was told to crash.\n')
        process.exit(crashExitCode)
        return
      case 'limit': {
        // A turn resumed after the limit continues.
        if (habits.limitedUntil !== undefined) habits.limitedUntil = undefined
        else habits.limitedUntil = Date.now() + step.seconds * 1000
        if (habits.limitedUntil !== undefined) throw limitReached(habits)
        return
      }
      case 'ignore-cancel':
        habits.ignoresCancel = true
        return this.#say('ignoring that I am cancelled')
      case 'ignore-sigterm':
        ignoreSigterm()
        habits.leavesAtEnd = false
        return this.#say('ignoring SIGTERM')
      case 'no-logout':
        habits.leavesAtEnd = false
        return this.#say('not leaving when my input ends')
      case 'fork':
        return this.#say(`forked ${forkChild()}`)
    }
  }

  /** Sends one line per step. */
  async #say(text: string): Promise<void> {
    if (text === '') return
    await this.#options.say(this.#hasWritten ? `\n${text}` : text)
    this.#hasWritten = true
  }

  async #saySlowly(count: number, ms: number): Promise<void> {
    const { say, signal } = this.#options
    for (let piece = 1; piece <= count; piece++) {
      if (ms > 0) await pause(ms, undefined, { signal })
      else signal.throwIfAborted()
      if (piece === 1) await this.#say('piece 1')
      else await say(` piece ${piece}`)
    }
  }

  async #callTool(use: ToolUse): Promise<void> {
    const { tell, useTool } = this.#options
    const toolCallId = this.#nextCall()
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: use.name,
      kind: 'other',
      status: 'in_progress',
      rawInput: use.args,
    })
    const result = await useTool(use)
    const status = result === `${use.name}: done` ? 'completed' : 'failed'
    await tell({ sessionUpdate: 'tool_call_update', toolCallId, status })
    await this.#say(result)
  }

  async #run(command: string): Promise<void> {
    const { folder, signal, tell } = this.#options
    const toolCallId = this.#nextCall()
    const rawInput = { command, cwd: folder }
    const call = { toolCallId, title: command, kind: 'execute', rawInput } as const
    await tell({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' })
    const { output, exitCode } = await runCommand(command, folder, signal)
    signal.throwIfAborted()
    const rawOutput = { stdout: output, exit_code: exitCode }
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: exitCode === 0 ? 'completed' : 'failed',
      rawOutput,
    })
    await this.#say(`ran ${command}`)
  }

  async #write({ path, text, asks }: Extract<Directive, { do: 'write' }>): Promise<void> {
    const { folder, tell } = this.#options
    const careful = this.#options.careful || asks === true
    const title = `Write ${path}`
    const rawInput = { path, text }
    const toolCallId = this.#nextCall()
    const locations = [{ path: resolve(folder, path) }]
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId,
      title,
      kind: 'edit',
      status: 'pending',
      locations,
      rawInput,
    })
    if (careful && !this.#refused) await this.#mayI(title, 'edit', rawInput, toolCallId)
    if (this.#refused) {
      await tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' })
      return this.#say(`did not write ${path}`)
    }
    await tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' })
    const oldText = await readBelow(folder, path)
    const written = await writeBelow(folder, path, text)
    const content = [{ type: 'diff', path: resolve(folder, path), oldText, newText: text } as const]
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      ...(written ? { status: 'completed', content } : { status: 'failed' }),
    })
    await this.#say(written ? `wrote ${path}` : `refused to write ${path}: it is not in my folder`)
  }

  /** Asks for permission and waits without a time limit. */
  async #mayI(
    title: string,
    kind: 'edit' | 'other',
    rawInput: object,
    toolCallId = this.#nextCall(),
  ): Promise<boolean> {
    const { ask } = this.#options
    const outcome = await ask({ toolCallId, title, kind, status: 'pending', rawInput }, options)
    // A client that has cancelled the turn answers so; its cancel notification may come later.
    if (outcome.outcome === 'cancelled') throw new TurnCancelled()
    const chosen = options.find(({ optionId }) => optionId === outcome.optionId)
    const allowed = chosen?.kind.startsWith('allow') === true
    this.#refused = !allowed
    return allowed
  }

  async #askQuestion(message: string): Promise<string> {
    const answer = await this.#options.askQuestion(message)
    if (answer.action === 'cancel') this.#options.signal.throwIfAborted()
    return answer.action === 'accept' && 'content' in answer
      ? `answered ${JSON.stringify(answer.content)}`
      : `${answer.action} it`
  }

  async #plan(): Promise<void> {
    const { tell } = this.#options
    const steps = ['Read what is asked', 'Do it', 'Say what was done']
    const entries = (done: number) =>
      steps.map((content, index) => ({
        content,
        priority: 'medium' as const,
        status: planStatus(index, done),
      }))
    await tell({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: 'Three steps will do.' },
    })
    for (let done = 0; done <= steps.length; done++)
      await tell({ sessionUpdate: 'plan', entries: entries(done) })
    await this.#say(steps.map((content, index) => `${index + 1}. ${content}`).join('\n'))
  }

  /** Writes one line that is no protocol message. */
  async #flood(bytes: number): Promise<void> {
    const { writeRaw, signal } = this.#options
    const piece = 'x'.repeat(floodPiece)
    try {
      for (let left = bytes; left > 0; left -= floodPiece) {
        signal.throwIfAborted()
        await writeRaw(piece.slice(0, Math.min(left, floodPiece)))
      }
    } finally {
      await writeRaw('\n')
    }
  }

  #nextCall(): string {
    return `call-${++this.#calls}`
  }
}

const wishOf = (text: string): string => (text === '' ? 'The demo agent was told to ask' : text)

function planStatus(index: number, done: number): 'completed' | 'in_progress' | 'pending' {
  if (index < done) return 'completed'
  return index === done ? 'in_progress' : 'pending'
}
