/** The log (OP1): JSON lines for machines, readable lines on a terminal. Every string is masked before it is written (SE7). */
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
  /** Standard error when left out: standard output is for the command's answer. */
  readonly destination?: DestinationStream
  /** Only for the readable format; by default on a terminal, unless NO_COLOR is set. */
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
