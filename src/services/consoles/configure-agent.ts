/**
 * Sets the mode, model or another option of an agent in a role (AG6). The request is announced as
 * `agent:configuring` and its result as `agent:configured`. It is stored until then, so that a
 * disconnected coordinator gets it later.
 */

import {
  type ConfigChange,
  maxPendingChanges,
  notOffered,
} from '../../domain/consoles/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { coordinatorStream, userSessionStream } from '../../domain/stream-name.ts'
import type { Offers } from '../../store/consoles/user-sessions.ts'
import { defineUseCase } from '../../store/store.ts'
import { invalidField } from '../refusals.ts'
import { type AskedUserSession, activeProcess } from './role-agent-record.ts'

interface Input extends AskedUserSession {
  readonly role: string
  readonly change: ConfigChange
  readonly by: string
  readonly requestId?: string | undefined
}

export const configureAgent = defineUseCase('configure-agent', {
  scope: 'approve',
  on: 'user-session',
  streams: ({ userSessionId }: Input) => [userSessionStream(userSessionId)],
  run: async (
    tx,
    { role, change, by, requestId, ...asked },
    { random },
  ): Promise<{ seq: number }> => {
    const { agent, launch } = await activeProcess(tx, asked, role)
    if (agent.asleep_at !== null)
      throw new Refusal('wrong_state', refusalText('asleep', { role }), { role })
    const offers: Offers = JSON.parse(agent.offers)
    const wrong = notOffered(offers, change)
    if (wrong) throw invalidField(wrong.field, wrong.detail)
    const pending = offers.pending ?? []
    if (pending.length >= maxPendingChanges)
      throw new Refusal('wrong_state', refusalText('changesFull', { count: pending.length }))
    const wish = { configureId: random.uuid(), change }
    await tx.update('role_agents', {
      id: agent.id,
      offers: JSON.stringify({ ...offers, pending: [...pending, wish] }),
    })
    const order = { launchId: launch.id, ...wish }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'configure-ordered', data: order })
    const data = { role, change, by, requestId }
    return {
      seq: tx.append(userSessionStream(asked.userSessionId), { type: 'agent:configuring', data }),
    }
  },
})
