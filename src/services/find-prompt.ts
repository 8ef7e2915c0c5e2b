/** What an agent is to be told in a turn that runs: asked for by its coordinator after a reconnect. */
import { Refusal } from '../domain/errors.ts'
import type { TurnOrder } from '../protocol/link-turns.ts'
import { selectChatTurn } from '../store/queries/chat-turns.ts'
import { findLaunch } from '../store/queries/launches.ts'
import { selectTurn } from '../store/queries/turns.ts'
import { defineQuery } from '../store/store.ts'
import { type InEpoch, inForce } from './coordinator-epoch.ts'

type Asked = InEpoch & Pick<TurnOrder, 'launchId' | 'turnId'>

export const findPrompt = defineQuery({
  name: 'find-prompt',
  run: async (reader, { launchId, turnId, ...from }: Asked): Promise<TurnOrder> => {
    await inForce(reader, from)
    const launch = await findLaunch(reader, launchId)
    const turn = (await reader.first(selectTurn, { id: turnId })) ?? (await reader.first(selectChatTurn, { id: turnId }))
    const isIts = launch?.coordinatorId === from.coordinatorId && turn?.launch_id === launchId && turn.state === 'running'
    if (!isIts) throw new Refusal('not_found', `The turn ${turnId} is over`, { turnId })
    return { launchId, turnId, content: JSON.parse(turn.content) }
  },
})
