/**
 * Asks the person at the terminal for a permission (AP4). The question disappears when it is
 * answered elsewhere.
 */
import { createInterface } from 'node:readline'
import type { RelayEvent } from '../../client/relay-messages.ts'
import { scopesFor } from '../../domain/approvals/allowance.ts'
import { isChoice, isKeptByAgent } from '../../domain/approvals/permission.ts'
import { visible } from '../../platform/log/visible.ts'
import { jsonOrText } from '../command.ts'
import { painter, type Terminal } from '../terminal.ts'

export type Asked = Extract<RelayEvent, { type: 'permission:requested' }>

/**
 * Returns the options to choose from. An agent's own "always" becomes ours (AG6), and is left out
 * where there is none.
 */
export function answersOf({ options, call, likeness }: Asked): Asked['options'] {
  if (isChoice(options)) return options
  const always =
    isKeptByAgent(call.toolKind, options) || scopesFor({ ...call, likeness }).includes('request')
  return options.filter(({ kind }) => kind !== 'allow_always' || always)
}

export const optionLine = (request: Asked): string =>
  answersOf(request)
    .map(({ name }, index) => `${index + 1} ${visible(name)}`)
    .join(' · ')

/**
 * Shows everything known of a call, so that nobody allows what they cannot read: complete input,
 * texts, changes, files.
 */
export function callLines({ input, content, locations, cut }: Asked['call']): string[] {
  const texts = content.flatMap((each) => {
    if (each.type === 'text') return each.text.split('\n')
    if (each.type === 'other') return [each.name]
    const signed = (sign: string, text: string | null) =>
      text ? text.split('\n').map((line) => `${sign} ${line}`) : []
    return [each.path, ...signed('-', each.oldText), ...signed('+', each.newText)]
  })
  const files = locations.map(({ path, line }) => (line === null ? path : `${path}:${line}`))
  const lines = [
    ...(input === null ? [] : inputLines(input)),
    ...texts,
    ...files,
    ...(cut ? ['(there is more than is shown)'] : []),
  ]
  return lines.map((line) => `    ${visible(line)}`)
}

/** Formats one field per line, and text of several lines, such as a command, as it is. */
function inputLines(input: string): string[] {
  const value = jsonOrText(input)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [input]
  return Object.entries(value).flatMap(([key, field]) =>
    `${key}: ${typeof field === 'string' ? field : JSON.stringify(field)}`.split('\n'),
  )
}

interface Question {
  readonly asked: Asked
  /** Aborts when the question is answered elsewhere. */
  readonly signal: AbortSignal
  readonly onInterrupt: () => void
}

/**
 * Resolves with the chosen option; undefined when the question was withdrawn or the input ended.
 */
export function askPermission(
  terminal: Terminal,
  { asked, signal, onInterrupt }: Question,
): Promise<string | undefined> {
  const paint = painter(terminal.stderr, terminal.env)
  let left = false
  // Must run before readline's own handler, which would take unsent text at the end of the input
  // for an answer.
  terminal.stdin.once('end', () => {
    left = true
  })
  const lines = createInterface({
    input: terminal.stdin,
    output: terminal.stderr as NodeJS.WritableStream,
  })
  terminal.stderr.write(`${paint('yellow', '◆')} ${paint('bold', visible(asked.title))}\n`)
  for (const line of callLines(asked.call)) terminal.stderr.write(`${line}\n`)
  lines.setPrompt(`  ${optionLine(asked)}: `)
  lines.prompt()
  return new Promise((resolve) => {
    lines.on('line', (typed) => {
      const option = left ? undefined : answersOf(asked)[Number(typed.trim()) - 1]
      if (!option) return lines.prompt()
      resolve(option.optionId)
      lines.close()
    })
    // While readline reads a line, Ctrl-C is a key and not a signal.
    lines.on('SIGINT', () => {
      lines.close()
      onInterrupt()
    })
    lines.once('close', () => resolve(undefined))
    signal.addEventListener('abort', () => lines.close(), { once: true })
  })
}
