/**
 * Formats a log line for a terminal: time of day, level, message, fields. Control characters are shown, never sent, so that a
 * request cannot move the cursor or change the screen.
 */
import { styleText } from 'node:util'
import { visible } from './visible.ts'

type Style = Parameters<typeof styleText>[0]

const levelStyles: Readonly<Record<string, Style>> = {
  fatal: ['red', 'bold'],
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'blue',
  trace: 'dim',
}

const shownElsewhere = new Set(['level', 'time', 'pid', 'msg', 'err'])

export function readableLine(entry: Readonly<Record<string, unknown>>, colours: boolean): string {
  const paint = (style: Style, text: string): string => (colours ? styleText(style, text, { validateStream: false }) : text)
  const level = String(entry['level'] ?? 'info')
  const time = timeOfDay(entry['time'])
  const rest = Object.entries(entry)
    .filter(([key]) => !shownElsewhere.has(key))
    .map(([key, value]) => `${paint('dim', `${visible(key)}=`)}${visible(asText(value))}`)
  const words = [
    paint('dim', time),
    paint(levelStyles[level] ?? 'green', level.padEnd(5)),
    visible(String(entry['msg'] ?? '')),
    ...rest,
  ]
  return `${words.join(' ')}${failure(entry['err'])}\n`
}

/** In the local time zone. */
function timeOfDay(time: unknown): string {
  const at = new Date(typeof time === 'string' ? time : Number.NaN)
  if (Number.isNaN(at.getTime())) return '--:--:--.---'
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The stack, indented; it begins with the error's message. */
function failure(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message } = err as { stack?: unknown; message?: unknown }
  const text = typeof stack === 'string' ? stack : String(message ?? '')
  return text
    .split('\n')
    .map((each) => `\n    ${visible(each.trim())}`)
    .join('')
}
