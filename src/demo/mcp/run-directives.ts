/** Runs the directives of a message in this process and returns the answer. Writes only below its folder. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { commandOf, forkChild, runCommand, type ToolUse, toolFor, writeBelow } from '../actions.ts'
import { type Directive, stepsIn } from '../directives.ts'

/** Behaviour of the process, changed by directives. */
export interface Habits {
  ignoresExit: boolean
  logsOut: boolean
}

export interface Surroundings {
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
export async function answerTo(message: string, surroundings: Surroundings): Promise<string> {
  const said: string[] = []
  for (const step of stepsIn(message)) {
    surroundings.signal.throwIfAborted()
    said.push(await runDirectives(step, surroundings))
  }
  return said.filter((text) => text !== '').join('\n')
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
    if (!process.stdout.write(piece.slice(0, Math.min(left, floodPiece)))) await once(process.stdout, 'drain')
  }
}
