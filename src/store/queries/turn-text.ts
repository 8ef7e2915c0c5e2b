/** What an agent lets be seen of a turn, out of the pieces in the log. Read when a turn ends, and for a snapshot of one that runs. */
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

/** All updates of a turn, as they were told, in order. */
export const piecesAfter = (reader: Reader, which: WhichTurn): AsyncGenerator<unknown> => pieces(reader, which, '')

async function* pieces(reader: Reader, { stream, turnId, startedSeq }: WhichTurn, kind: string): AsyncGenerator<unknown> {
  const beginning = `{"messageId":"${turnId}","update":{${kind}%`
  for (let after = startedSeq; ; ) {
    const rows = await reader.all(selectPieces, { stream, after, beginning, limit: piecesAtOnce })
    for (const { data } of rows) yield JSON.parse(data ?? '{}').update
    if (rows.length < piecesAtOnce) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** What it has said so far, without thoughts and tools. */
export async function saidIn(reader: Reader, which: WhichTurn): Promise<Said> {
  let text = ''
  for await (const update of pieces(reader, which, '"kind":"text"')) {
    text += (update as { text: string }).text
    if (text.length > maxAnswerChars) break
  }
  return { text: storable(text.slice(0, maxAnswerChars)), cut: text.length > maxAnswerChars }
}
