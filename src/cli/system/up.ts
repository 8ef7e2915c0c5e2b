/** `holdfast up`: server and coordinator on this machine. The default command. */
import type { CommandSpec } from '../command.ts'
import { serve } from './serve.ts'
import { flagsOf } from './server-flags.ts'
import { serverOptions } from './server-options.ts'

export const up: CommandSpec = {
  name: 'up',
  summary: 'Start Holdfast and print a sign-in link (the default)',
  options: serverOptions(),
  examples: [
    ['up', 'start on http://127.0.0.1:4747'],
    ['up --port 0 --data ./tmp', 'a free port, and a data folder of its own'],
    ['up --log-level debug', 'say more'],
  ],
  isDefault: true,
  local: true,
  run: async (context, given) => serve('up', flagsOf(given), context.terminal),
}
