/**
 * What has happened in a session since a position (SN14), for readers that come and go: programs
 * that ask now and then, and editors that were cut off. Who stays follows the streams instead.
 */
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import {
  beginning,
  beginOfTurn,
  itemsSince,
  type NewItem,
  type Position,
  parsePosition,
  positionText,
} from '../../protocol/threads/position.ts'
import { type Item, withAnswer } from '../../protocol/threads/turn-items.ts'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { type TurnRow, turnStream } from '../../store/turns/turns.ts'
import { selectBegunFrom, selectNewestBegun } from '../../store/turns/turns-since.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { itemsOf } from './turn-items.ts'
import { readTurnOutput } from './turn-output.ts'
import { turnView } from './turn-view.ts'

/** A reader gets at most so much at once. */
const mostTurns = 50
const mostCharsSince = 100_000

/** A turn that was read to its end before is told again without items. */
export interface TurnSince {
  readonly turn: ConversationTurn
  readonly items: readonly NewItem[]
}

interface Since {
  readonly turns: readonly TurnSince[]
  /** Where to go on. */
  readonly position: string
  /** There is more already. */
  readonly more: boolean
}

interface Wanted {
  readonly key: string
  /** Left out: from the beginning. */
  readonly after?: string | undefined
  readonly maxChars?: number
}

export const readSince = defineQuery('read-since', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key, after, maxChars = mostCharsSince }: Wanted): Promise<Since> => {
    streamOfKey(key)
    await existingConversation(reader, key)
    const from = await placeOf(reader, key, after)
    const rows = await reader.all(selectBegunFrom, { key, ...from.key, limit: mostTurns + 1 })
    const turns: TurnSince[] = []
    let position = after ?? beginning
    let chars = 0
    let more = rows.length > mostTurns
    for (const row of rows.slice(0, mostTurns)) {
      if (chars >= maxChars) {
        more = true
        break
      }
      const isFirst = row.id === from.position?.turnId
      const at = isFirst && from.position ? from.position : beginOfTurn(row.id)
      const found = itemsSince(await allItemsOf(reader, row), at, {
        isOver: row.state !== 'running',
        maxChars: maxChars - chars,
      })
      position = positionText(found.next)
      if (await isTakenBack(reader, row)) continue
      // A turn of which nothing is new takes no room, or nobody would come past it.
      chars += found.items.length === 0 ? 0 : JSON.stringify(found.items).length
      turns.push({ turn: await turnView(reader, row), items: found.items })
      if (found.isCut) {
        more = true
        break
      }
    }
    return { turns, position, more }
  },
})

/** Behind everything that has happened. */
export const readPosition = defineQuery('read-position', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<string> => {
    streamOfKey(key)
    const row = await reader.first(selectNewestBegun, { key })
    if (!row) return beginning
    const all = { isOver: row.state !== 'running', maxChars: Number.MAX_SAFE_INTEGER }
    return positionText(itemsSince(await allItemsOf(reader, row), beginOfTurn(row.id), all).next)
  },
})

async function allItemsOf(reader: Reader, row: TurnRow): Promise<readonly Item[]> {
  if (row.state !== 'running')
    return withAnswer((await itemsOf(reader, row.id)) as unknown as readonly Item[], row.answer)
  const pieces = { stream: turnStream(row), turnId: row.id, startedSeq: row.started_seq ?? 0 }
  return (await readTurnOutput(reader, pieces)).items
}

/** FS8 */
const isTakenBack = async (reader: Reader, { id }: TurnRow): Promise<boolean> =>
  ((await reader.row('turn_files', { turn_id: id }))?.rewound_by ?? null) !== null

const first = { createdAt: '', id: '' }

async function placeOf(
  reader: Reader,
  key: string,
  after: string | undefined,
): Promise<{ key: typeof first; position?: Position }> {
  if (after === undefined || after === beginning) return { key: first }
  const position = parsePosition(after)
  const row = position && (await reader.row('turns', { id: position.turnId }))
  if (!position || row?.conversation_key !== key)
    throw new Refusal('invalid_request', refusalText('noPosition'), { field: 'position' })
  return { key: { createdAt: row.created_at, id: row.id }, position }
}
