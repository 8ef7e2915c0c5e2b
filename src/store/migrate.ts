/**
 * Migrates a database, one transaction per step: a kill leaves each done or not begun. A newer one
 * is refused unchanged.
 */

import type { Instant } from '../domain/instant.ts'
import type { Engine } from './engine.ts'
import { createMeta, deleteMeta, selectMeta, setMeta } from './meta.ts'
import { migrations, newestVersion } from './migrations/migrations.ts'
import type { Tables } from './schema/tables.ts'
import { bind } from './statement.ts'

export interface MigratingEngine extends Engine {
  transaction(work: () => Promise<void>): Promise<void>
}

export class NewerDatabase extends Error {
  constructor(found: number) {
    super(`The database has schema version ${found}; this Holdfast knows up to ${newestVersion}`)
    this.name = 'NewerDatabase'
  }
}

export interface Identity {
  readonly id: string
  readonly incarnation: string
}

export async function migrate(
  engine: MigratingEngine,
  now: Instant,
  uuid: () => string,
): Promise<Identity> {
  const get = async (key: Tables['meta']['key']): Promise<string | undefined> => {
    const [row] = await engine.execute(bind(engine.dialect, selectMeta, { key }))
    return row?.['value'] as string | undefined
  }
  const set = async (key: Tables['meta']['key'], value: string): Promise<void> => {
    await engine.execute(bind(engine.dialect, setMeta, { key, value }))
  }

  await engine.transaction(async () => {
    await engine.execute({ sql: createMeta(engine.dialect), values: [] })
    if (await get('schema_version')) return
    await set('store_id', uuid())
    await set('incarnation', uuid())
    await set('created_at', now)
    await set('schema_version', '0')
  })
  const found = Number(await get('schema_version'))
  if (found > newestVersion) throw new NewerDatabase(found)
  for (const migration of migrations.filter(({ version }) => version > found)) {
    await engine.transaction(async () => {
      // Another node may have done this step while this one waited for the lock.
      if (Number(await get('schema_version')) >= migration.version) return
      for (const sql of migration.statements(engine.dialect))
        await engine.execute({ sql, values: [] })
      await set('schema_version', String(migration.version))
    })
  }
  return { id: (await get('store_id')) ?? '', incarnation: (await get('incarnation')) ?? '' }
}

/**
 * Erases plain text of values that have been sealed since (SE12): a database keeps deleted text in
 * its files until they are rewritten. Runs once when such a store is opened. A flag in `meta` stays
 * set until it succeeds, so a failure is retried at the next start.
 */
export async function eraseDeletedData(
  engine: Engine,
  statements: readonly string[],
): Promise<void> {
  const [mark] = await engine.execute(bind(engine.dialect, selectMeta, { key: 'plain_values' }))
  if (mark?.['value'] !== 'sealed') return
  try {
    for (const sql of statements) await engine.execute({ sql, values: [] })
    await engine.execute(bind(engine.dialect, deleteMeta, { key: 'plain_values' }))
  } catch {
    // Fails for example when the disk is full. The start finds the flag and reports it
    // (compose/open-sealed-store.ts).
  }
}
