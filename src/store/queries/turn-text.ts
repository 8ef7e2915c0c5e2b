/**
 * What an agent has said in a turn, out of the pieces in the log: each piece is one event and nothing else, so streaming costs one row
 * a piece. Read when a turn ends, and for a snapshot of one that runs.
 */
import type { StreamName } from '../../domain/stream/name.ts'
import { storable } from '../../protocol/text.ts'
import { maxAnswerChars } from '../../protocol/user-session.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

const piecesAtOnce = 500

/** The beginning of the body says which turn a piece is of (src/protocol/relay.ts), so that others' are not even read. */
const selectPieces = statement<{ stream: StreamName; after: number; beginning: string; limit: number }>()((db, p) =>
  db
    .selectFrom('events')
    .select(['seq', 'data'])
    .where('stream', '=', p.stream)
    .where('seq', '>', p.after)
    .where('data', 'like', p.beginning)
    .orderBy('seq')
    .limit(p.limit),
)

export interface Said {
  readonly text: string
  readonly cut: boolean
}

interface WhichTurn {
  readonly stream: StreamName
  readonly turnId: string
  readonly startedSeq: number
}

/** `unwritten`: pieces of this very transaction, which are not in the log yet. */
export async function saidIn(reader: Reader, { stream, turnId, startedSeq }: WhichTurn, unwritten = ''): Promise<Said> {
  const beginning = `{"messageId":"${turnId}","update":{"kind":"text"%`
  let text = ''
  for (let after = startedSeq; ; ) {
    const rows = await reader.all(selectPieces, { stream, after, beginning, limit: piecesAtOnce })
    for (const { data } of rows) text += JSON.parse(data ?? '{}').update.text
    if (rows.length < piecesAtOnce || text.length > maxAnswerChars) break
    after = rows.at(-1)?.seq ?? after
  }
  text += unwritten
  return { text: storable(text.slice(0, maxAnswerChars)), cut: text.length > maxAnswerChars }
}
