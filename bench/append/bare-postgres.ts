/**
 * The yardstick of appends on PostgreSQL: the driver alone, with its own pipelining, and the very
 * statements that a group of ours comes to. As many to a transaction as there are writers, up to
 * the store's own limit; the log of all of them in one statement, their state in one each, since
 * they are different use cases. It takes no locks, asks nothing, decides nothing and answers
 * nobody. One append by itself is one statement for log and state, which is its own transaction:
 * nothing is quicker.
 */
import pg from 'pg'
import { bodyFor } from './use-cases.ts'

/** As many as the store puts into one transaction, and as many transactions as it has under way. */
const maxBatch = 64
const maxConnections = 2

const begin = { name: 'begin', text: 'begin' }
const commit = { name: 'commit', text: 'commit' }
const state = 'update projects set updated_at = $1 where id = $2'
const log = `with given as (select * from unnest($1::text[], $2::text[]) as given (stream, data)),
  moved as (update streams set head = head + 1 where name = any ($1::text[]) returning name, head)
  insert into events (stream, seq, type, at, data, ref_stream, ref_seq)
  select stream, head, $3, $4, data, null, null from given join moved on name = stream`
const both = `with moved as (update streams set head = head + 1 where name = $1 returning head),
  changed as (update projects set updated_at = $3 where id = $5)
  insert into events (stream, seq, type, at, data, ref_stream, ref_seq) select $1, head, $2, $3, $4, null, null from moved`

const type = 'project-changed'
const streamOf = (id: string): string => `project:${id}`
const dataOf = (id: string, now: string): string => JSON.stringify(bodyFor(id, now))

export interface BareAppends {
  readonly appendAll: (appends: number) => Promise<void>
  readonly close: () => Promise<void>
  readonly perCommit: number
}

/** The rows and streams of the writers, numbered from `first`, are there. */
export async function openBare(url: string, writers: number, first = 0): Promise<BareAppends> {
  const ids = Array.from({ length: writers }, (_, index) => `w${first + index}`)
  const batches = Array.from({ length: Math.ceil(writers / maxBatch) }, (_, nth) =>
    ids.slice(nth * maxBatch, (nth + 1) * maxBatch),
  )
  const clients = Array.from(
    { length: Math.min(batches.length, maxConnections) },
    () => new pg.Client({ connectionString: url, pipeline: true }),
  )
  for (const client of clients) await client.connect()
  const appendShare = async (client: pg.Client, nth: number, appends: number): Promise<void> => {
    for (let done = 0; done < appends / writers; done++) {
      for (let at = nth; at < batches.length; at += clients.length)
        await commitBatch(client, batches[at] ?? [])
    }
  }
  return {
    perCommit: Math.min(writers, maxBatch),
    appendAll: async (appends) => {
      await Promise.all(clients.map((client, nth) => appendShare(client, nth, appends)))
    },
    close: async () => {
      for (const client of clients) await client.end()
    },
  }
}

async function commitBatch(client: pg.Client, ids: readonly string[]): Promise<void> {
  const now = new Date().toISOString()
  const [id = ''] = ids
  if (ids.length === 1) {
    await client.query({
      name: 'both',
      text: both,
      values: [streamOf(id), type, now, dataOf(id, now), id],
    })
    return
  }
  await Promise.all([
    client.query(begin),
    ...ids.map((each) => client.query({ name: 'state', text: state, values: [now, each] })),
    client.query({
      name: 'log',
      text: log,
      values: [ids.map(streamOf), ids.map((each) => dataOf(each, now)), type, now],
    }),
    client.query(commit),
  ])
}
