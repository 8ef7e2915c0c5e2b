/**
 * The coordinator of a build, and nothing else of its command line: that is bundled in a sixth of
 * the time. The agents that come with the product are not in it.
 */
import { coordinator } from '../../../src/cli/processes/coordinator.ts'
import { buildProgram } from '../../../src/cli/program.ts'

const { stdin, stdout, stderr, env } = process
const commands = [{ ...coordinator, name: 'coordinator', isDefault: false }]
const terminal = { stdin, stdout, stderr, env, cwd: process.cwd() }
const program = buildProgram(commands, {
  terminal,
  name: 'holdfast',
  version: '0',
  allCommands: async () => commands,
})
await program.parseAsync(process.argv.slice(2), { from: 'user' })
