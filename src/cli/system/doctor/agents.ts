/**
 * Checks the credential, the coordinators, and that each agent's program can be found. Starts
 * nothing.
 */
import type { Client } from '../../../client/client.ts'
import { ProblemError } from '../../../client/failures.ts'
import { ownProgram } from '../../../domain/agents/demo.ts'
import { findProgram } from '../../../platform/processes/find-program.ts'
import type { Agent } from '../../../protocol/agents/agent.ts'
import type { Coordinator } from '../../../protocol/processes/coordinator.ts'
import type { Environment } from '../../terminal.ts'
import { bad, type Check, good, warning } from './check.ts'

export async function checkCredential(client: Client): Promise<Check> {
  try {
    const me = await client.get('/api/me')
    return good('Credential', `${me.name}${me.role ? ` (${me.role})` : ''}`)
  } catch (error) {
    const next = error instanceof ProblemError ? error.problem.next : 'Try again.'
    return bad('Credential', error instanceof Error ? error.message : String(error), next)
  }
}

/** Checks that a coordinator can start agents, and its state. */
export function checkCoordinators(items: readonly Coordinator[]): Check {
  const there = items.filter(({ state }) => state === 'connected')
  const silent = items.filter(({ state }) => state === 'unreachable')
  const next = '`holdfast up` brings one; `holdfast coordinator` joins a machine.'
  if (there.length === 0 && silent.length === 0)
    return warning('Coordinator', 'none is connected: no agent is started', next)
  const names = there
    .map(({ machine, processes }) => `${machine} (${processes} running)`)
    .join(', ')
  if (silent.length === 0) return good('Coordinator', names)
  const machines = silent.map(({ machine }) => machine).join(', ')
  const detail = `${names ? `${names}; ` : ''}not heard of: ${machines}`
  return warning(
    'Coordinator',
    detail,
    'If it will not come back: holdfast coordinators take-over MACHINE',
  )
}

interface Machines {
  readonly connected: readonly string[]
  readonly here: string
  readonly serverElsewhere: boolean
}

/** Searches for each agent's program on this machine, if it is one that would start it. */
export async function checkAgents(
  client: Client,
  env: Environment,
  machines: Machines,
): Promise<Check[]> {
  const { connected, here, serverElsewhere } = machines
  const others = connected.filter((machine) => machine !== here).join(', ')
  const startsHere = connected.length === 0 ? !serverElsewhere : connected.includes(here)
  const check = async ({ id, command, args }: Agent): Promise<Check> => {
    const name = `Agent ${id}`
    if (!command) return good(name, 'started by others')
    if (command === ownProgram) return good(name, `${ownProgram} ${args.join(' ')}`)
    const where = others ? `on ${others}` : 'elsewhere'
    if (!startsHere)
      return good(name, `${command}; started ${where}, not looked for on this machine`)
    if (await findProgram(command, env)) return good(name, command)
    const change = `or change it: holdfast agents edit ${id} -- COMMAND`
    if (!others) return bad(name, `${command} is not on this machine`, `Install it, ${change}`)
    const detail = `${command} is not on this machine (${here}); on ${others} it was not looked for`
    return warning(name, detail, `Install it here too, ${change}`)
  }
  const checks: Check[] = []
  for await (const agent of client.pages('/api/agents')) checks.push(await check(agent))
  return checks
}
