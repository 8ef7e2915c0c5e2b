/** Makes foreign text safe for a terminal: control characters, escape sequences and direction marks are shown, not sent. Pure. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown
const terminalControls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

export const visible = (text: string): string =>
  text.replace(
    terminalControls,
    (character) => named.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** The same for text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n')
