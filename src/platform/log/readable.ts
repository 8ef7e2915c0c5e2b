/**
 * Cleans what a program wrote, for a person: no colours, stack traces, minified code. The log keeps
 * the whole text. Pure.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/**
 * Lines of stack traces of Node and Python, the place of a source line, the mark under it, and
 * Node's name below.
 */
const traceLines = [
  /^\s*at .*(?::\d+\)?|<anonymous>\)?|\(native\)|\(index \d+\))(?: \{)?$/,
  /^\s*File ".*", line \d+/,
  /^Traceback \(most recent call last\):$/,
  /^(?:file:\/\/|node:|\/)\S+:\d+(?::\d+)?$/,
  /^\s*\^+\s*$/,
  /^Node\.js v\d/,
]

const minCodeChars = 200
/** Prose has hardly any of these. */
const minCodeShare = 0.05

const isCode = (line: string): boolean =>
  line.length >= minCodeChars && (line.match(/[;{}()=]/g)?.length ?? 0) > line.length * minCodeShare

export function readable(text: string): string {
  const plain = text.replaceAll(escapes, '')
  const lines = plain
    .split('\n')
    .filter((line) => !isCode(line) && !traceLines.some((trace) => trace.test(line.trimEnd())))
  const textLeft = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
  return textLeft === '' ? plain.trim().slice(0, minCodeChars) : textLeft
}
