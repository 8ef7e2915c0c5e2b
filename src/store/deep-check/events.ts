/**
 * Checks the event log (OP5): streams without gaps, copies that point to an event, readable
 * receipts.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import { pagesOf } from '../copy-tables.ts'
import { looksSealed } from '../log/receipts.ts'
import type { Tables } from '../schema/tables.ts'
import type { Reader, StreamPosition } from '../store.ts'
import type { Finding } from './deep-check.ts'

interface Current {
  readonly name: StreamName
  readonly position: StreamPosition | undefined
  last: number
}

/** One more than the most findings reported by one check. */
const limit = 101

/**
 * Checks that each stream holds every number from its floor to its head once, each with a readable
 * body.
 */
export async function* denseStreams(reader: Reader): AsyncGenerator<Finding> {
  let current: Current | undefined
  for await (const page of pagesOf(reader, 'events')) {
    const positions = await positionsOf(reader, new Set(page.map(({ stream }) => stream)))
    for (const event of page) {
      if (event.stream !== current?.name) {
        if (current) yield* ending(current)
        const position = positions.get(event.stream)
        current = { name: event.stream, position, last: position?.floor ?? 0 }
      }
      if (event.seq !== current.last + 1)
        yield findingAt(event, `stands where ${current.last + 1} must be`)
      current.last = event.seq
      const wrong = bodyProblem(event)
      if (wrong) yield findingAt(event, wrong)
    }
  }
  if (current) yield* ending(current)
  yield* withoutEvents(reader)
}

async function positionsOf(
  reader: Reader,
  names: ReadonlySet<StreamName>,
): Promise<Map<StreamName, StreamPosition>> {
  const rows = await reader.query((db) =>
    db
      .selectFrom('streams')
      .selectAll()
      .where('name', 'in', [...names]),
  )
  return new Map(rows.map(({ name, head, floor }) => [name, { head, floor }]))
}

function* ending({ name, position, last }: Current): Generator<Finding> {
  if (!position)
    yield {
      check: 'streams',
      where: name,
      what: 'has events and no row that says where its head is',
    }
  else if (position.head !== last) {
    yield {
      check: 'streams',
      where: name,
      what: `says its head is ${position.head}; its last event is ${last}`,
    }
  }
}

async function* withoutEvents(reader: Reader): AsyncGenerator<Finding> {
  const wrong = await reader.query((db) =>
    db
      .selectFrom('streams')
      .selectAll()
      .where((eb) =>
        eb.or([
          eb('floor', '>', eb.ref('head')),
          eb.and([
            eb('head', '>', eb.ref('floor')),
            eb.not(
              eb.exists(
                eb
                  .selectFrom('events')
                  .select('seq')
                  .whereRef('events.stream', '=', 'streams.name'),
              ),
            ),
          ]),
        ]),
      )
      .limit(limit),
  )
  for (const { name, head, floor } of wrong) {
    const what =
      floor > head
        ? `says events up to ${floor} were trimmed; its head is ${head}`
        : `says its head is ${head} and has no events`
    yield { check: 'streams', where: name, what }
  }
}

function bodyProblem({ data, ref_stream, ref_seq }: Tables['events']): string | undefined {
  const isCopy = ref_stream !== null && ref_seq !== null
  if (data === null) return isCopy ? undefined : 'has neither a body nor an event it stands for'
  if (isCopy) return 'has a body and stands for another event'
  try {
    JSON.parse(data)
    return undefined
  } catch {
    return 'has a body that is no JSON'
  }
}

const findingAt = ({ stream, seq, type }: Tables['events'], what: string): Finding => ({
  check: 'streams',
  where: `${stream} ${seq} (${type})`,
  what,
})

/** One more than the most findings reported by one check. */
const copyLimit = 101

/**
 * Checks that each copy points to an existing event of the same type. An event that was trimmed
 * with its stream is no finding.
 */
export async function* eventCopies(reader: Reader): AsyncGenerator<Finding> {
  const wrong = await reader.query((db) =>
    db
      .selectFrom('events as copy')
      .leftJoin('events as original', (join) =>
        join
          .onRef('original.stream', '=', 'copy.ref_stream')
          .onRef('original.seq', '=', 'copy.ref_seq'),
      )
      .leftJoin('streams', 'streams.name', 'copy.ref_stream')
      .select([
        'copy.stream',
        'copy.seq',
        'copy.type',
        'copy.ref_stream',
        'copy.ref_seq',
        'original.type as original_type',
      ])
      .where('copy.ref_stream', 'is not', null)
      .where((eb) =>
        eb.or([
          eb('original.type', '<>', eb.ref('copy.type')),
          eb.and([
            eb('original.seq', 'is', null),
            eb.or([
              eb('streams.floor', 'is', null),
              eb('copy.ref_seq', '>', eb.ref('streams.floor')),
            ]),
          ]),
        ]),
      )
      .limit(copyLimit),
  )
  for (const { stream, seq, type, ref_stream, ref_seq, original_type } of wrong) {
    const what = original_type ? `which is ${original_type}` : 'which is not there'
    yield {
      check: 'copies',
      where: `${stream} ${seq} (${type})`,
      what: `stands for ${ref_stream} ${ref_seq}, ${what}`,
    }
  }
}

/**
 * Checks that each receipt can answer: its text is JSON or has the form of a sealed text. Only the
 * owner can open a sealed one.
 */
export async function* keptReceipts(reader: Reader): AsyncGenerator<Finding> {
  for await (const page of pagesOf(reader, 'receipts')) {
    for (const receipt of page) {
      const what = problemWith(receipt)
      if (what)
        yield {
          check: 'receipts',
          where: `${receipt.operation} of ${receipt.credential_id}, key ${receipt.key}`,
          what,
        }
    }
  }
}

function problemWith({ answer, sealed, created_at }: Tables['receipts']): string | undefined {
  if (Number.isNaN(Date.parse(created_at))) return `has the time ${created_at}`
  if (sealed) return looksSealed(answer) ? undefined : 'is sealed, but not as we seal'
  try {
    JSON.parse(answer)
    return undefined
  } catch {
    return 'has an answer that is no JSON'
  }
}
