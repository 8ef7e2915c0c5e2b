/**
 * Whether an ACP agent has connected to Holdfast's tools (AC11). Agents that are known connect when a context is opened; one that has
 * not when its first turn ends works without them, and the person is told in that turn.
 */
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { knownAgents } from '../../protocol/agents/known-agents.ts'
import type { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import { selectOutput, updateTools } from '../../store/processes/launches.ts'
import { selectAgentName } from '../../store/processes/ready-launches.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import type { TurnRow } from '../../store/turns/turns.ts'
import { bufferUpdate, relayRole, turnStream } from './turn-record.ts'

export const noteTools = defineUseCase('note-tools', {
  streams: (_: { launchId: string }) => [],
  run: (tx, { launchId: id }): Promise<unknown> => tx.write(updateTools, { id, tools: 'connected' }),
})

/** Tells once for each process. Call before the turn is ended. */
export async function tellMissingTools(tx: Tx, turn: TurnRow, { id, agentId }: Launch): Promise<void> {
  const name = (await tx.first(selectAgentName, { id }))?.agent_name
  if (!knownAgents.some(({ acpName }) => acpName !== null && acpName === name)) return
  if ((await tx.first(selectOutput, { id }))?.tools !== null) return
  await tx.write(updateTools, { id, tools: 'missing' })
  const { text: title, notice } = statusNotice('withoutTools', { agent: agentId })
  const update: AgentUpdate = { kind: 'notice', severity: 'warning', title, description: null, notice }
  bufferUpdate(tx, turn.id, update)
  tx.append(turnStream(turn), { type: 'agent:update', data: { messageId: turn.id, update, role: relayRole(turn) } })
}
