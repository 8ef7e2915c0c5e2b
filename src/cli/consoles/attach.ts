/** `holdfast attach`: follow a console live and write to its agents (CL1, US3). */
import type { Client } from '../../client/client.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import { command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound, usage } from '../failure.ts'
import { attachConsole } from './attach-console.ts'

const maxSearched = 1000

async function attach(context: CommandContext): Promise<void> {
  const { id } = await found(context.client, context.optionalOperand(0))
  await attachConsole(context, id, context.text('role'))
}

/** Finds a session by id or the end of it; without one, the newest. */
async function found(client: Client, typed: string | undefined): Promise<Pick<UserSession, 'id'>> {
  const matching: UserSession[] = []
  let looked = 0
  for await (const userSession of client.pages('/api/user-sessions')) {
    if (typed === undefined || userSession.id === typed) return userSession
    if (typed.length >= 4 && userSession.id.endsWith(typed)) matching.push(userSession)
    if (++looked >= maxSearched) break
  }
  const [only, ...others] = matching
  if (only && others.length === 0) return only
  if (only) throw usage(`${matching.length} consoles end in ${typed}.`, 'Type the whole id; `holdfast consoles` lists them.')
  if (typed === undefined) throw notFound('No console is open.', 'Open one: holdfast run AGENT PROMPT --keep, or in the page.')
  // An ended session is not listed, but can be read.
  return client.get('/api/user-sessions/{userSessionId}', { params: { userSessionId: typed } })
}

export const attachCommand = command(attach)`
  Follow a console live and speak to its agents; leaving ends nothing
  [console]  its id, or the end of it; the newest when left out
  --role <role>  to whom lines are sent; may be left out where there is one agent
  $ attach  the newest console
  $ attach 4d2f1a --role reviewer  speak to the reviewer in the one whose id ends so
  $ attach --json  every event from now on as a line of JSON`
