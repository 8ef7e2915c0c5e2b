/**
 * How a session stands, for those that wait for its end (SN14): whether anything of it runs or is
 * about to, what a person is asked, and what came of the newest turn.
 */
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import { approvalOf, selectPendingOfTurn } from '../../store/approvals/approvals.ts'
import { defineQuery } from '../../store/store.ts'
import { selectRunningIn } from '../../store/turns/turns.ts'
import { selectNewestBegun } from '../../store/turns/turns-since.ts'
import { activityOf } from '../conversations/conversation-activity.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { turnView } from '../turns/turn-view.ts'

type Activity = NonNullable<Conversation['activity']>

interface Progress {
  readonly activity: Activity
  /** false: nothing more comes without a person. */
  readonly isRunning: boolean
  readonly paused: Conversation['paused']
  /** What the agent asks, and waits for. */
  readonly requests: readonly Approval[]
  /** The newest turn that has begun. */
  readonly last: ConversationTurn | null
}

const underWay: ReadonlySet<Activity> = new Set(['waiting', 'working', 'starting'])

export const readProgress = defineQuery('read-progress', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<Progress> => {
    streamOfKey(key)
    const row = await existingConversation(reader, key)
    const { activity = 'idle', paused } = await activityOf(reader, row)
    const requests: Approval[] = []
    for (const { id: turnId } of await reader.all(selectRunningIn, { key }))
      requests.push(...(await reader.all(selectPendingOfTurn, { turnId })).map(approvalOf))
    const last = await reader.first(selectNewestBegun, { key })
    return {
      activity,
      isRunning: underWay.has(activity),
      paused,
      requests,
      last: last ? await turnView(reader, last) : null,
    }
  },
})
