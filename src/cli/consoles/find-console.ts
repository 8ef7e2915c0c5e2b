/** Finds the console that a command names. */
import type { Client } from '../../client/client.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import { notFound, usage } from '../failure.ts'

const maxSearched = 1000

/** The console with this id or this end of an id; without one, the newest. */
export async function findConsole(client: Client, typed: string | undefined): Promise<UserSession> {
  const matching: UserSession[] = []
  let looked = 0
  for await (const userSession of client.pages('/api/user-sessions')) {
    if (typed === undefined || userSession.id === typed) return userSession
    if (typed.length >= 4 && userSession.id.endsWith(typed)) matching.push(userSession)
    if (++looked >= maxSearched) break
  }
  const [only, ...others] = matching
  if (only && others.length === 0) return only
  if (only)
    throw usage(
      `${matching.length} consoles end in ${typed}.`,
      'Type the whole id; `holdfast consoles` lists them.',
    )
  if (typed === undefined)
    throw notFound(
      'No console is open.',
      'Open one: holdfast run AGENT PROMPT --keep, or in the page.',
    )
  // An ended session is not listed, but can be read.
  return client.get('/api/user-sessions/{userSessionId}', { params: { userSessionId: typed } })
}
