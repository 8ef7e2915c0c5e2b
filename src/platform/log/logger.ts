/**
 * The log (OP1): JSON lines for machines, readable lines on a terminal. Every string is masked
 * before it is written (SE7).
 */
import { styleText } from 'node:util'
import {
  type DestinationStream,
  destination as openDestination,
  type Logger as PinoLogger,
  pino,
} from 'pino'
import { looksSecret, mask, maskDeep } from './mask.ts'
import { visible } from './visible.ts'

// Formats a log line for a terminal: time of day, level, message, fields. Control characters are
// shown, never sent, so that a request cannot move the cursor or change the screen.

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

function readableLine(entry: Readonly<Record<string, unknown>>, colours: boolean): string {
  const paint = (style: Style, text: string): string =>
    colours ? styleText(style, text, { validateStream: false }) : text
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

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

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

export type Logger = PinoLogger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFormat = 'json' | 'text'

export interface LoggerOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Standard error when left out: standard output is for the command's answer. */
  readonly destination?: DestinationStream
  /** Only for the readable format; by default on a terminal, unless NO_COLOR is set. */
  readonly colours?: boolean
}

export function createLogger({
  level,
  format,
  destination,
  colours = terminalColours(destination),
}: LoggerOptions): Logger {
  const stream = destination ?? openDestination({ fd: 2, sync: true })
  const finish =
    format === 'json'
      ? maskedLine
      : (line: string) => readableLine(JSON.parse(maskedLine(line)), colours)
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: finish },
    },
    stream,
  )
}

/** Masks a JSON line. The values are masked, not the text, so the line stays valid JSON. */
function maskedLine(line: string): string {
  if (!looksSecret(line)) return line
  try {
    return `${JSON.stringify(maskDeep(JSON.parse(line)))}\n`
  } catch {
    return `${JSON.stringify({ level: 'error', msg: mask(line) })}\n`
  }
}

const terminalColours = (destination: DestinationStream | undefined): boolean =>
  !destination && process.stderr.isTTY === true && !process.env['NO_COLOR']
