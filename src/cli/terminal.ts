/**
 * Terminal or its replacement in tests: streams, environment, folder, and whether a person is
 * there.
 */
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]
export type Environment = Readonly<Record<string, string | undefined>>

interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /** Emitted when a write fails, because the reader has gone. */
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}

export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Environment
  readonly cwd: string
}

/** Whether a person can be asked: input and standard error are terminals. */
export const isInteractive = ({ stdin, stderr }: Terminal): boolean =>
  stdin.isTTY === true && stderr.isTTY === true

export type Paint = (style: Style, text: string) => string

/** Colours only on a terminal, and never with NO_COLOR (no-color.org). */
export function painter(output: Output, env: Environment): Paint {
  const forced = Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0'
  const wanted = !env['NO_COLOR'] && (forced || (output.isTTY === true && env['TERM'] !== 'dumb'))
  return (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text)
}

export const widthOf = (output: Output): number | undefined =>
  output.isTTY ? output.columns : undefined
