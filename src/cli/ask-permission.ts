/** Asks the person at the terminal what an agent may do (AP4). Answered elsewhere meanwhile, the question goes away. */
import { createInterface } from 'node:readline'
import type { RelayEvent } from '../client/relay-messages.ts'
import { visible } from '../platform/visible.ts'
import { painter, type Terminal } from './terminal.ts'

export type Asked = Extract<RelayEvent, { type: 'permission:requested' }>

/** The options with their numbers, in one line. */
export const optionLine = ({ options }: Asked): string =>
  options.map(({ name }, index) => `${index + 1} ${visible(name)}`).join(' · ')

interface Question {
  readonly asked: Asked
  /** It need no longer be answered. */
  readonly signal: AbortSignal
  readonly onInterrupt: () => void
}

/** The option that was chosen; undefined when the question was taken away or nobody answers any more. */
export function askPermission(terminal: Terminal, { asked, signal, onInterrupt }: Question): Promise<string | undefined> {
  const paint = painter(terminal.stderr, terminal.env)
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr as NodeJS.WritableStream })
  terminal.stderr.write(`${paint('yellow', '◆')} ${paint('bold', visible(asked.title))}\n`)
  lines.setPrompt(`  ${optionLine(asked)}: `)
  lines.prompt()
  return new Promise((resolve) => {
    lines.on('line', (typed) => {
      const option = asked.options[Number(typed.trim()) - 1]
      if (!option) return lines.prompt()
      resolve(option.optionId)
      lines.close()
    })
    // While a line is read, Ctrl-C is a key and no signal.
    lines.on('SIGINT', () => {
      lines.close()
      onInterrupt()
    })
    lines.once('close', () => resolve(undefined))
    signal.addEventListener('abort', () => lines.close(), { once: true })
  })
}
