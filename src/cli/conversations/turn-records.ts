/**
 * What `conversations show` tells between the messages: what was decided in a turn, and that it
 * ended without an answer (CH17).
 */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import type { ListedTurn } from '../../protocol/turns/conversation-turn.ts'
import type { Paint } from '../terminal.ts'

export interface TurnRecord {
  readonly at: string
  readonly turnId: string
  readonly what: 'permission' | 'question' | 'failed' | 'unknown' | 'cancelled'
  readonly outcome?: string
  readonly decidedBy?: string | null
  readonly text: string
}

/** Turns that are looked at, the newest: as many as one page holds. */
const mostTurns = 50

interface Decided {
  readonly title?: string
  readonly message?: string
  readonly outcome: string
  readonly decidedBy: string | null
  readonly resolvedAt: string | null
}

/** Since the first of these messages, oldest first. */
export async function recordsSince(
  client: Client,
  key: string,
  messages: readonly Message[],
): Promise<TurnRecord[]> {
  const since = messages[0]?.createdAt ?? ''
  const query = { items: true, limit: mostTurns }
  const { items: turns } = await client.get('/api/conversations/{key}/turns', {
    params: { key },
    query,
  })
  return turns
    .filter(({ rewound, about }) => !rewound && about !== 'summary')
    .reverse()
    .flatMap(recordsOf)
    .filter(({ at }) => at >= since)
    .sort((one, other) => (one.at < other.at ? -1 : 1))
}

function recordsOf({
  id: turnId,
  items = [],
  state,
  error,
  endedAt,
  createdAt,
  stopReason,
}: ListedTurn): TurnRecord[] {
  const records = items.flatMap((item): TurnRecord[] => {
    if (item.kind !== 'permission' && item.kind !== 'question') return []
    const { title, message, outcome, decidedBy, resolvedAt } = item[item.kind] as Decided
    return [
      {
        at: resolvedAt ?? createdAt,
        turnId,
        what: item.kind,
        outcome,
        decidedBy,
        text: title ?? message ?? '',
      },
    ]
  })
  const isOver =
    state === 'failed' ||
    state === 'unknown' ||
    (state === 'cancelled' && stopReason !== 'withdrawn')
  if (isOver)
    records.push({ at: endedAt ?? createdAt, turnId, what: state, text: error ?? endings[state] })
  return records
}

const endings = {
  failed: 'no reason was given',
  unknown: 'its process ended before it was done; parts of it may be done',
  cancelled: 'stopped',
} as const

const titles = {
  failed: 'The turn failed',
  unknown: 'The turn was cut off',
  cancelled: 'The turn was stopped',
} as const

export function recordLine({ what, outcome, decidedBy, text }: TurnRecord, paint: Paint): string {
  const [first = ''] = text.split('\n')
  if (what !== 'permission' && what !== 'question')
    return paint('yellow', `      ✗ ${titles[what]}: ${visible(first)}`)
  const by = decidedBy ? ` by ${visible(decidedBy)}` : ''
  return paint(
    'dim',
    `      ◆ ${what === 'question' ? 'Question' : 'Permission'} ${outcome}${by}: ${visible(first)}`,
  )
}
