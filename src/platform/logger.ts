/**
 * The log (OP1): JSON lines for machines, a readable line on a terminal. Every string is masked on its way out (SE7), whoever
 * wrote it and under whatever name, so that no caller has to remember to.
 */
import { type DestinationStream, destination as openDestination, type Logger as PinoLogger, pino } from 'pino'
import { readableLine } from './log-line.ts'
import { looksSecret, mask, maskDeep } from './mask.ts'

export type Logger = PinoLogger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFormat = 'json' | 'text'

export interface LoggerOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Standard error when left out: standard output belongs to what the command answers. */
  readonly destination?: DestinationStream
  /** Only for the readable form; on a terminal when left out, unless NO_COLOR says no. */
  readonly colours?: boolean
}

export function createLogger({ level, format, destination, colours = terminalColours(destination) }: LoggerOptions): Logger {
  const stream = destination ?? openDestination({ fd: 2, sync: true })
  const finish = format === 'json' ? maskedLine : (line: string) => readableLine(JSON.parse(maskedLine(line)), colours)
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

/** One line of JSON without secrets. Masking happens on the values, never on the JSON text, so the line stays JSON. */
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
