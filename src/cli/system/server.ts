/** `holdfast server`: the server without a coordinator, for machines that run no agents. */
import { localCommand } from '../command.ts'
import { serve } from './serve.ts'
import { flagsOf } from './server-flags.ts'
import { serverOptions } from './server-options.ts'

export const server = localCommand((context) => serve('server', flagsOf(context), context.terminal), ...serverOptions())`
  Start the server alone, without agents on this machine
  $ server  start on http://127.0.0.1:4747
  $ server --host 0.0.0.0 --behind-proxy --public-url https://holdfast.example.com  behind a proxy that ends TLS`

/** `holdfast up`: server and coordinator on this machine. The default command. */
export const up = localCommand((context) => serve('up', flagsOf(context), context.terminal), ...serverOptions())`
  Start Holdfast and print a sign-in link (the default)
  $ up  start on http://127.0.0.1:4747
  $ up --port 0 --data ./tmp  a free port, and a data folder of its own
  $ up --log-level debug  say more`
