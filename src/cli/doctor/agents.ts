/** Whether the credential works, and each agent's program is there to be started. Looks for files; starts nothing. */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { ownProgram } from '../../domain/agent/own-program.ts'
import { findProgram } from '../../platform/find-program.ts'
import type { Environment } from '../terminal.ts'
import { bad, type Check, good } from './check.ts'

export async function checkCredential(client: Client): Promise<Check> {
  try {
    const me = await client.get('/api/me')
    return good('Credential', `${me.name}${me.role ? ` (${me.role})` : ''}`)
  } catch (error) {
    const next = error instanceof ProblemError ? error.problem.next : 'Try again.'
    return bad('Credential', error instanceof Error ? error.message : String(error), next)
  }
}

export async function checkAgents(client: Client, env: Environment): Promise<Check[]> {
  const checks: Check[] = []
  for await (const agent of client.pages('/api/agents', { query: { limit: 200 } })) {
    const name = `Agent ${agent.id}`
    if (!agent.command) checks.push(good(name, 'started by others'))
    else if (agent.command === ownProgram) checks.push(good(name, `${ownProgram} ${agent.args.join(' ')}`))
    else if (await findProgram(agent.command, env)) checks.push(good(name, agent.command))
    else
      checks.push(
        bad(
          name,
          `${agent.command} is not on this machine`,
          `Install it, or change it: holdfast agents edit ${agent.id} -- COMMAND`,
        ),
      )
  }
  return checks
}
