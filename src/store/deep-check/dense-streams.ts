/** Each stream holds the numbers from its floor to its head, none twice, none missing, each with a body that can be read. */
import type { StreamName } from '../../domain/stream/name.ts'
import type { Finding } from '../deep-check.ts'
import type { Reader, StreamPosition } from '../store.ts'
import { pagesOf } from '../table-pages.ts'
import type { Tables } from '../tables.ts'

interface Current {
  readonly name: StreamName
  readonly position: StreamPosition | undefined
  last: number
}

/** One more than is ever told of one check. */
const limit = 101

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
      if (event.seq !== current.last + 1) yield told(event, `stands where ${current.last + 1} must be`)
      current.last = event.seq
      const wrong = bodyProblem(event)
      if (wrong) yield told(event, wrong)
    }
  }
  if (current) yield* ending(current)
  yield* withoutEvents(reader)
}

async function positionsOf(reader: Reader, names: ReadonlySet<StreamName>): Promise<Map<StreamName, StreamPosition>> {
  const rows = await reader.query((db) =>
    db
      .selectFrom('streams')
      .selectAll()
      .where('name', 'in', [...names]),
  )
  return new Map(rows.map(({ name, head, floor }) => [name, { head, floor }]))
}

function* ending({ name, position, last }: Current): Generator<Finding> {
  if (!position) yield { check: 'streams', where: name, what: 'has events and no row that says where its head is' }
  else if (position.head !== last) {
    yield { check: 'streams', where: name, what: `says its head is ${position.head}; its last event is ${last}` }
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
            eb.not(eb.exists(eb.selectFrom('events').select('seq').whereRef('events.stream', '=', 'streams.name'))),
          ]),
        ]),
      )
      .limit(limit),
  )
  for (const { name, head, floor } of wrong) {
    const what =
      floor > head ? `says events up to ${floor} were trimmed; its head is ${head}` : `says its head is ${head} and has no events`
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

const told = ({ stream, seq, type }: Tables['events'], what: string): Finding => ({
  check: 'streams',
  where: `${stream} ${seq} (${type})`,
  what,
})
