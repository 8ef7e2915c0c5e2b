/**
 * Everything a store holds that a fault could have harmed, read from one snapshot through the
 * product's own reader.
 */

import type { Tables } from '../../src/store/schema/tables.ts'
import type { Reader } from '../../src/store/store.ts'

export interface Stored {
  readonly streams: readonly Tables['streams'][]
  /** In order of stream and number. */
  readonly events: readonly Tables['events'][]
  readonly receipts: readonly Tables['receipts'][]
  readonly projects: readonly Tables['projects'][]
  readonly agents: readonly Tables['agents'][]
  readonly assignments: readonly Tables['assignments'][]
  readonly people: readonly Tables['people'][]
  readonly credentials: readonly Tables['credentials'][]
}

export async function readStored(reader: Reader): Promise<Stored> {
  return {
    streams: await reader.query((db) => db.selectFrom('streams').selectAll().orderBy('name')),
    events: await reader.query((db) =>
      db.selectFrom('events').selectAll().orderBy('stream').orderBy('seq'),
    ),
    receipts: await reader.query((db) => db.selectFrom('receipts').selectAll()),
    projects: await reader.query((db) => db.selectFrom('projects').selectAll()),
    agents: await reader.query((db) => db.selectFrom('agents').selectAll()),
    assignments: await reader.query((db) =>
      db.selectFrom('assignments').selectAll().orderBy('created_at').orderBy('agent_id'),
    ),
    people: await reader.query((db) => db.selectFrom('people').selectAll()),
    credentials: await reader.query((db) => db.selectFrom('credentials').selectAll()),
  }
}
