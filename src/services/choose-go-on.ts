/** AG6: whether an agent at its vendor's limit takes its turn up again by itself when the limit is over, or waits for a person. */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { updateRoleAgent } from '../store/queries/role-agents.ts'
import { defineUseCase } from '../store/store.ts'
import { mostTimesTakenUp, tellLimit } from './limit-record.ts'
import { activeAgent, talkStreams, type WhichUserSession } from './user-session-record.ts'

interface Input extends WhichUserSession {
  readonly role: string
  readonly goOn: boolean
  readonly by: string
  readonly requestId?: string | undefined
}

export const chooseGoOn = defineUseCase({
  name: 'choose-go-on',
  streams: (input: Input) => talkStreams(input),
  run: async (tx, { role, goOn, by, requestId, userSessionId }): Promise<{ seq: number }> => {
    const agent = await activeAgent(tx, userSessionId, role)
    if (agent.limited_until === null) throw new Refusal('wrong_state', because('noLimit'))
    const row = { ...agent, goes_on_by: goOn ? by : null, goes_on_left: goOn ? mostTimesTakenUp : 0 }
    await tx.write(updateRoleAgent, row)
    return { seq: tellLimit(tx, row, { requestId }) }
  },
})
