/** Each copy stands for an event that is there, of the same type; one that was trimmed away with its stream is forgiven. */
import type { Finding } from '../deep-check.ts'
import type { Reader } from '../store.ts'

/** One more than is ever told of one check. */
const limit = 101

export async function* eventCopies(reader: Reader): AsyncGenerator<Finding> {
  const wrong = await reader.query((db) =>
    db
      .selectFrom('events as copy')
      .leftJoin('events as original', (join) =>
        join.onRef('original.stream', '=', 'copy.ref_stream').onRef('original.seq', '=', 'copy.ref_seq'),
      )
      .leftJoin('streams', 'streams.name', 'copy.ref_stream')
      .select(['copy.stream', 'copy.seq', 'copy.type', 'copy.ref_stream', 'copy.ref_seq', 'original.type as original_type'])
      .where('copy.ref_stream', 'is not', null)
      .where((eb) =>
        eb.or([
          eb('original.type', '<>', eb.ref('copy.type')),
          eb.and([
            eb('original.seq', 'is', null),
            eb.or([eb('streams.floor', 'is', null), eb('copy.ref_seq', '>', eb.ref('streams.floor'))]),
          ]),
        ]),
      )
      .limit(limit),
  )
  for (const { stream, seq, type, ref_stream, ref_seq, original_type } of wrong) {
    const what = original_type ? `which is ${original_type}` : 'which is not there'
    yield { check: 'copies', where: `${stream} ${seq} (${type})`, what: `stands for ${ref_stream} ${ref_seq}, ${what}` }
  }
}
