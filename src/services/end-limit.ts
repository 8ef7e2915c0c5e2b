/**
 * AG6: the limit of an agent is over. If a person said so, its turn is taken up again: the same prompt, as a new turn, in front of all that
 * waits. Otherwise who waits longest is next. Looked at too early, or twice, it changes nothing. One that has failed meanwhile and may not be
 * started any more waits for nothing: its limit is over, too.
 */
import { findLaunch } from '../store/queries/launches.ts'
import { selectRoleAgent } from '../store/queries/role-agents.ts'
import { insertTurn, selectOpenTurns, selectTurn } from '../store/queries/turns.ts'
import { defineUseCase } from '../store/store.ts'
import { liftLimit } from './limit-record.ts'
import { newTurn, startNext, startTurn } from './turn-record.ts'
import { mustBeLocked, talkStreams, type WhichUserSession } from './user-session-record.ts'

interface Input extends WhichUserSession {
  readonly roleAgentId: string
  /** Its start is refused. */
  readonly cannotStart?: boolean
}

export const endLimit = defineUseCase({
  name: 'end-limit',
  streams: (input: Input) => talkStreams(input),
  run: async (tx, { roleAgentId, cannotStart, ...which }, context): Promise<{ ended: boolean }> => {
    const { now, random } = context
    const agent = await tx.first(selectRoleAgent, { id: roleAgentId })
    const isOver = agent && agent.limited_until !== null && agent.limited_until <= now
    if (isOver && agent.state === 'FAILED' && cannotStart) {
      await liftLimit(tx, agent)
      return { ended: true }
    }
    if (!isOver || agent.state !== 'ACTIVE' || agent.terminating_at !== null) return { ended: false }
    const launch = agent.launch_id === null ? undefined : await findLaunch(tx, agent.launch_id)
    if (!launch) return { ended: false }
    mustBeLocked(which, launch.coordinatorId)
    const { limited_turn_id: limitedTurnId, goes_on_by: by, goes_on_left: left } = agent
    const turn = limitedTurnId === null ? undefined : await tx.first(selectTurn, { id: limitedTurnId })
    const runs = (await tx.all(selectOpenTurns, { roleAgentId })).some(({ state }) => state === 'running')
    if (runs) return { ended: false }
    const takesUp = turn !== undefined && left > 0 && by !== null
    await liftLimit(tx, agent, takesUp ? left - 1 : 0)
    if (!takesUp) {
      await startNext(tx, agent.id, context)
      return { ended: true }
    }
    const again = newTurn(agent, { id: random.uuid(), launchId: launch.id, content: JSON.parse(turn.content), by, now })
    await tx.write(insertTurn, again)
    await startTurn(tx, again, launch, {}, context)
    return { ended: true }
  },
})
