/** Which command was typed. A word where a command stands, but none is called that, is refused here: otherwise the default would take it. */
import { nearest } from '../domain/nearest.ts'
import type { CommandSpec } from './command.ts'
import { usage } from './failure.ts'

/** Named in a hint at most. */
const mostNamed = 15

/** Gives the command as it was typed: `projects show`. */
export function typedCommand(argv: readonly string[], specs: readonly CommandSpec[], program: string, before = ''): string {
  const [word] = argv
  if (word === undefined || word.startsWith('-')) return before.trimEnd()
  const found = specs.find(({ name }) => name === word)
  if (found) return typedCommand(found.commands ? argv.slice(1) : [], found.commands ?? [], program, `${before}${word} `)
  const names = specs.map(({ name }) => name)
  const close = nearest(word, names)
  // All of them on one line would be read by nobody.
  const all = names.length > mostNamed ? `\`${program} --help\` lists them.` : `There is ${names.join(', ')}.`
  const hint = close ? `Did you mean \`${program} ${before}${close}\`?` : all
  throw usage(`There is no command ${JSON.stringify(`${before}${word}`)}.`, hint)
}
