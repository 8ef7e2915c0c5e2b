/** The machine an agent would be started on now (SC4): one that has what the agent and the project ask for. */
import { placeOn } from '../domain/agent-process/placement.ts'
import { selectAgent } from '../store/queries/agents.ts'
import { machinesHere } from '../store/queries/coordinators.ts'
import type { Reader } from '../store/store.ts'
import { settingsOf } from './project-settings.ts'

interface Wanted {
  /** undefined: it is not known yet which; only the project asks. */
  readonly agentId: string | undefined
  readonly projectId: string
}

export async function chosenMachine(reader: Reader, { agentId, projectId }: Wanted): Promise<string | undefined> {
  const machines = await machinesHere(reader)
  if (machines.length === 0) return undefined
  const agent = agentId === undefined ? undefined : await reader.first(selectAgent, { id: agentId })
  const asked = [agent?.runs_on, (await settingsOf(reader, projectId))['agent.runs_on']]
  return placeOn(
    machines,
    asked.map((each) => String(each ?? '')).filter((label) => label !== ''),
  )
}
