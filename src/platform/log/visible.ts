/**
 * Makes foreign text safe for a terminal: control characters, escape sequences and direction marks
 * are shown, not sent. Pure.
 */
import { numberOf, withNumbers } from '../../protocol/unseen-characters.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown
const terminalControls = /[\u0000-\u001f\u007f-\u009f]/g

export const visible = (text: string): string =>
  withNumbers(text).replace(
    terminalControls,
    (character) => named.get(character) ?? numberOf(character),
  )

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** The same for text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')
