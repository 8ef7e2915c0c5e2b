/** Reads a value that must be no argument, because others on the machine could read it. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { visible } from '../../platform/log/visible.ts'
import { isInteractive, type Terminal } from '../terminal.ts'

/**
 * One line of a person at a terminal, not shown while it is typed; elsewhere all of standard input.
 */
export async function readValue(
  terminal: Terminal,
  name: string,
  isFile: boolean,
): Promise<string> {
  // A file keeps its last newline, which key files need; a variable never has one that was only
  // typed.
  if (!isInteractive(terminal))
    return (await readAll(terminal.stdin)).replace(isFile ? /^$/ : /\r?\n$/, '')
  terminal.stderr.write(`Value of ${visible(name)} (not shown): `)
  const lines = createInterface({ input: terminal.stdin, terminal: true })
  try {
    const answer = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])])
    return String(answer[0])
  } finally {
    lines.close()
    terminal.stderr.write('\n')
  }
}
