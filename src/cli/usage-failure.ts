/** What the parser found wrong with the command line, in our words. */
import type { CommanderError } from 'commander'
import { type CommandFailure, usage } from './failure.ts'

export function usageFailure(error: CommanderError, command: string): CommandFailure {
  // A command that only holds others was typed alone; its help has been asked for, in a way.
  if (error.code === 'commander.help') return usage('A command is missing.', `See what there is with \`${command} --help\`.`)
  const [message = '', ...hints] = error.message.replace(/^error: /, '').split('\n')
  const sentence = message.replace(/\.$/, '')
  const suggestion = hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')).join(' ')
  return usage(
    `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
    `${suggestion ? `${suggestion} ` : ''}See \`${command} --help\`.`,
  )
}
