/**
 * MCP demo agent (`demo-mcp`): a real MCP client with a script instead of a model. Does what every
 * pulling agent does: authenticates, asks for the next action with the longest wait, answers, and
 * logs out.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  commandOf,
  forkChild,
  runCommand,
  type ToolUse,
  toolFor,
  toolInWords,
  writeBelow,
} from '../actions.ts'
import { type Directive, stepsIn } from '../directives.ts'
import { McpClient, type McpClientOptions, ToolFailure } from './mcp-client.ts'

// Runs the directives of a message in this process and returns the answer. Writes only below its
// folder.

/** Behaviour of the process, changed by directives. */
interface Habits {
  ignoresExit: boolean
  logsOut: boolean
}

interface Surroundings {
  readonly folder: string
  readonly habits: Habits
  readonly ignoreSigterm: () => void
  /** Asks a person and waits for the decision; returns it in words. */
  readonly ask: (question: string) => Promise<string>
  readonly useTool: (use: ToolUse) => Promise<string>
  /** Returns all messages received by this process. */
  readonly recall: () => string
  readonly signal: AbortSignal
}

const floodPiece = 64 * 1024
const crashExitCode = 1

/** Returns the answer to a message, or to the title of a task. */
async function answerTo(message: string, surroundings: Surroundings): Promise<string> {
  const lines: string[] = []
  for (const step of stepsIn(message)) {
    surroundings.signal.throwIfAborted()
    lines.push(await runDirectives(step, surroundings))
  }
  return lines.filter((text) => text !== '').join('\n')
}

async function runDirectives(
  step: Directive,
  { folder, habits, ignoreSigterm, ask, useTool, recall, signal }: Surroundings,
): Promise<string> {
  switch (step.do) {
    case 'echo':
      return `echo: ${step.text}`
    case 'say':
      return step.text
    case 'title':
      // Only an ACP agent names its conversation.
      return ''
    case 'slow':
      for (let piece = 0; piece < step.count; piece++) await pause(step.ms, undefined, { signal })
      return Array.from({ length: step.count }, (_, index) => `piece ${index + 1}`).join(' ')
    case 'ask':
    case 'question':
      return ask(step.text || 'The demo agent was told to ask')
    case 'record':
    case 'checkpoint':
    case 'tell':
    case 'tool':
      return useTool(toolFor(step))
    case 'write':
      return (await writeBelow(folder, step.path, step.text))
        ? `wrote ${step.path}`
        : `refused to write ${step.path}: it is not in my folder`
    case 'run':
      return `${commandOf(step.text)}\n${(await runCommand(commandOf(step.text), folder, signal)).output}`
    case 'recall':
      return recall()
    case 'plan':
      return '1. Read what is asked\n2. Do it\n3. Say what was done'
    case 'flood':
      await flood(step.bytes)
      return `flooded ${step.bytes} bytes`
    case 'limit':
      // Only an ACP agent can end a turn with an error.
      return `at no limit of ${step.seconds} seconds`
    case 'hang':
      await pause(2 ** 31 - 1, undefined, { signal })
      return ''
    case 'crash':
      process.exit(crashExitCode)
      return ''
    case 'ignore-cancel':
      habits.ignoresExit = true
      return 'ignoring that I am told to exit'
    case 'ignore-sigterm':
      ignoreSigterm()
      return 'ignoring SIGTERM'
    case 'no-logout':
      habits.logsOut = false
      return 'not logging out'
    case 'fork':
      return `forked ${forkChild()}`
  }
}

async function flood(bytes: number): Promise<void> {
  const piece = 'x'.repeat(floodPiece)
  for (let left = bytes; left > 0; left -= floodPiece) {
    if (!process.stdout.write(piece.slice(0, Math.min(left, floodPiece))))
      await once(process.stdout, 'drain')
  }
}

const deadly = /\[\[(?:crash|hang)\]\]/g

/**
 * Lessons of the demo agent (AR1): some directives end the process. It records one before it runs
 * it in a task; when it resumes the task it is told, and skips it. Pure.
 */
export interface Lesson {
  readonly id: string
  readonly description: string
}

export const describe = (directive: string): string => `Obeying ${directive}`

/** Returns each dangerous directive of the text once. */
export const dangersIn = (text: string): string[] => [...new Set(text.match(deadly) ?? [])]

/** Returns the text without directives known to fail, and the ids of the lessons used. */
export function heeding(
  text: string,
  lessons: readonly Lesson[],
): { readonly text: string; readonly heeded: string[] } {
  const heeded: string[] = []
  const left = text.replaceAll(deadly, (directive) => {
    const lesson = lessons.find(({ description }) => description === describe(directive))
    if (!lesson) return directive
    heeded.push(lesson.id)
    return ''
  })
  return { text: left.trim(), heeded: [...new Set(heeded)] }
}

export interface DemoAgentOptions extends McpClientOptions {
  readonly agentId: string
  readonly projectId: string
  readonly launchId: string | undefined
  /** Folder for `[[write]]`. */
  readonly folder: string
  /** Waits for new work instead of exiting. */
  readonly stays: boolean
  readonly log: (line: string) => void
  readonly ignoreSigterm: () => void
}

type Fields = Record<string, unknown>

/** The server reduces it to what the agent's entry allows. */
const maxWaitSeconds = 600
/** Pause before asking again when the server names none. */
const pauseMs = 1000
const maxRemembered = 200

export class DemoAgent {
  readonly #habits: Habits = { ignoresExit: false, logsOut: true }
  readonly #options: DemoAgentOptions
  readonly #client: McpClient
  readonly #stopped = new AbortController()
  #sessionToken: string | undefined
  #lessons: readonly Lesson[] = []
  #decisions: readonly Decision[] = []
  readonly #remembered: string[] = []

  constructor(options: DemoAgentOptions) {
    this.#options = options
    this.#client = new McpClient(options)
  }

  /** Resolves when there is nothing more to do; rejects when it is stopped. */
  async run(): Promise<void> {
    const { log, stays } = this.#options
    await this.#client.connect()
    do {
      if (await this.#signIn()) await this.#work()
      else if (!stays) log('there is no work')
      else await this.#rest()
    } while (stays)
  }

  /** Ends what it does and logs out, unless told not to. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('stopped'))
    if (this.#sessionToken === undefined || !this.#habits.logsOut) return
    await this.#call('logout', {}, AbortSignal.timeout(5000))
    this.#sessionToken = undefined
    this.#options.log('logged out')
  }

  async #signIn(): Promise<boolean> {
    const { agentId, projectId, launchId } = this.#options
    const args = {
      agent_id: agentId,
      project_id: projectId,
      ...(launchId === undefined ? {} : { launch_id: launchId }),
    }
    const answer = await this.#client.call('authenticate', args, this.#stopped.signal)
    if (answer['status'] !== 'ok') return false
    this.#sessionToken = String(answer['session_token'])
    // Messages of another session are forgotten.
    this.#remembered.length = 0
    this.#options.log(`signed in for ${answer['purpose']}`)
    return true
  }

  async #work(): Promise<void> {
    try {
      for (;;) await this.#act(await this.#next())
    } catch (error) {
      if (!(error instanceof ExitRequested)) throw error
      this.#options.log(`told to exit: ${error.message}`)
      this.#sessionToken = undefined
      if (this.#habits.ignoresExit)
        await pause(2 ** 31 - 1, undefined, { signal: this.#stopped.signal })
    }
  }

  async #next(): Promise<Fields> {
    const next = await this.#call('get_next_action', { wait_seconds: maxWaitSeconds })
    if (next['action'] === 'exit') throw new ExitRequested(String(next['reason']))
    return next
  }

  async #act(next: Fields): Promise<void> {
    switch (next['action']) {
      case 'get_pending_messages':
        return this.#answerMessages()
      case 'summarize_conversation':
        await this.#call('set_summary', {
          summary: 'A conversation with the demo agent.',
          through_seq: next['through_seq'],
        })
        return
      case 'resume_work':
        return this.#noteLessons(next['resume_context'] as Fields | undefined)
      case 'work_on_task':
        this.#noteDecisions(next['decisions'])
        return this.#doTask(next['task'] as Fields)
    }
  }

  async #answerMessages(): Promise<void> {
    const handed = await this.#call('get_pending_messages', {})
    const { messages, history } = handed as {
      messages: { id: string; content: string }[]
      history?: string | null
    }
    this.#remembered.push(...(history ? [history] : []), ...messages.map(({ content }) => content))
    this.#remembered.splice(0, this.#remembered.length - maxRemembered)
    const answers: string[] = []
    for (const { content } of messages) answers.push(await this.#answerTo(content))
    // Messages handed over again after a lost answer are answered once.
    const clientId = messages.at(-1)?.id
    await this.#call('respond_chat', {
      content: answers.join('\n'),
      ...(clientId === undefined ? {} : { client_id: clientId }),
    })
    this.#options.log(`answered ${messages.length} message${messages.length === 1 ? '' : 's'}`)
  }

  /** RS2: notes what failed before, so that it is not tried again. */
  #noteLessons(context: Fields | undefined): void {
    this.#lessons = (context?.['failed_approaches'] ?? []) as Lesson[]
    this.#noteDecisions(context?.['decisions'])
    this.#options.log(`took work up, with ${this.#lessons.length} to avoid`)
  }

  /** AP8: notes decisions of people, also on requests of an earlier process. */
  #noteDecisions(decisions: unknown): void {
    this.#decisions = [...((decisions ?? []) as Decision[]), ...this.#decisions]
  }

  async #doTask(task: Fields): Promise<void> {
    const task_id = task['id']
    const { text, heeded } = heeding(String(task['description'] ?? task['title']), this.#lessons)
    await this.#call('update_task', { task_id, progress_percent: 50 })
    for (const danger of dangersIn(text)) await this.#recordDanger(danger)
    const answer = await this.#answerTo(text)
    await this.#call('update_task', {
      task_id,
      status: 'completed',
      result: { answer, ...(heeded.length > 0 && { heeded }) },
    })
    this.#options.log(`finished the task ${task_id}`)
  }

  /** Records the danger before the action, because the process ends with it. */
  async #recordDanger(danger: string): Promise<void> {
    const lesson = {
      failure_reason: 'It ends the process that obeys it',
      learnings: [`Leave ${danger} out`],
    }
    await this.#call('record_approach', {
      kind: 'failed',
      category: 'demo',
      description: describe(danger),
      ...lesson,
    })
    await this.#call('save_checkpoint', { context_summary: `About to obey ${danger}` })
  }

  #answerTo(text: string): Promise<string> {
    const { folder, ignoreSigterm } = this.#options
    const ask = (question: string): Promise<string> => this.#ask(question)
    const { signal } = this.#stopped
    const useTool = (use: ToolUse) => toolInWords(use, () => this.#call(use.name, use.args), signal)
    const recall = () => this.#remembered.join('\n')
    return answerTo(text, {
      folder,
      habits: this.#habits,
      ignoreSigterm,
      ask,
      useTool,
      recall,
      signal,
    })
  }

  /** AP3: asks a person and waits without a time limit; does not ask again what is decided. */
  async #ask(question: string): Promise<string> {
    const earlier = this.#decisions.find((each) => each.question === question && isFinal(each))
    if (earlier) return inWords(earlier)
    const request = { checkpoint_type: 'demo', instruction_content: question }
    const { approval_id } = await this.#call('request_approval', request)
    for (;;) {
      const decision = (await this.#call('get_approval', { approval_id })) as unknown as Decision
      if (decision.status !== 'pending') return inWords(decision)
      // Messages that arrive meanwhile are answered after this one.
      if ((await this.#next())['action'] !== 'wait_for_approval') await this.#rest()
    }
  }

  #rest(): Promise<void> {
    return pause(pauseMs, undefined, { signal: this.#stopped.signal })
  }

  async #call(name: string, args: Fields, signal = this.#stopped.signal): Promise<Fields> {
    const token = this.#sessionToken === undefined ? {} : { session_token: this.#sessionToken }
    for (;;) {
      try {
        return await this.#client.call(name, { ...token, ...args }, signal)
      } catch (error) {
        if (!(error instanceof ToolFailure) || !passing.has(error.code)) throw error
        await pause(pauseMs, undefined, { signal })
      }
    }
  }
}

class ExitRequested extends Error {}

interface Decision {
  readonly question?: string | null
  readonly status: string
  readonly feedback: string | null
}

const isFinal = ({ status }: Decision): boolean => status === 'approved' || status === 'rejected'
const inWords = ({ status, feedback }: Decision): string =>
  [status, feedback].filter(Boolean).join(': ')

/** Error codes after which the same call may succeed in a moment. */
const passing = new Set(['busy', 'store_unavailable', 'shutting_down', 'internal'])
