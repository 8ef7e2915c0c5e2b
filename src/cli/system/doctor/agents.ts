/** Checks the credential, the coordinators, and that each agent's program can be found. Starts nothing. */
import type { Client } from '../../../client/client.ts'
import { ProblemError } from '../../../client/failures.ts'
import { ownProgram } from '../../../domain/agents/demo.ts'
import { findProgram } from '../../../platform/processes/find-program.ts'
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
  if (there.length === 0 && silent.length === 0) return warning('Coordinator', 'none is connected: no agent is started', next)
  const names = there.map(({ machine, processes }) => `${machine} (${processes} running)`).join(', ')
  if (silent.length === 0) return good('Coordinator', names)
  const machines = silent.map(({ machine }) => machine).join(', ')
  const detail = `${names ? `${names}; ` : ''}not heard of: ${machines}`
  return warning('Coordinator', detail, 'If it will not come back: holdfast coordinators take-over MACHINE')
}

/** Machines that start agents, as far as known. */
interface Machines {
  /** Hosts of connected coordinators. */
  readonly connected: readonly string[]
  readonly here: string
  /** Whether the server is on another machine. */
  readonly serverElsewhere: boolean
}

/** Searches for each agent's program on this machine, if it is one that would start it. */
export async function checkAgents(client: Client, env: Environment, machines: Machines): Promise<Check[]> {
  const { connected, here, serverElsewhere } = machines
  const others = connected.filter((machine) => machine !== here).join(', ')
  const startsHere = connected.length === 0 ? !serverElsewhere : connected.includes(here)
  const checks: Check[] = []
  for await (const agent of client.pages('/api/agents')) {
    const name = `Agent ${agent.id}`
    if (!agent.command) checks.push(good(name, 'started by others'))
    else if (agent.command === ownProgram) checks.push(good(name, `${ownProgram} ${agent.args.join(' ')}`))
    else if (!startsHere)
      checks.push(
        good(name, `${agent.command}; started ${others ? `on ${others}` : 'elsewhere'}, not looked for on this machine`),
      )
    else if (await findProgram(agent.command, env)) checks.push(good(name, agent.command))
    else if (others)
      checks.push(
        warning(
          name,
          `${agent.command} is not on this machine (${here}); on ${others} it was not looked for`,
          `Install it here too, or change it: holdfast agents edit ${agent.id} -- COMMAND`,
        ),
      )
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
