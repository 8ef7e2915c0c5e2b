/**
 * Erases plain text of values that have been sealed since (SE12): a database keeps deleted text in its files until they are
 * rewritten. Runs once when such a store is opened. A flag in `meta` stays set until it succeeds, so a failure is retried at the
 * next start.
 */
import type { Engine } from './engine.ts'
import { deleteMeta, selectMeta } from './meta.ts'
import { bind } from './statement.ts'

export async function eraseDeletedData(engine: Engine, statements: readonly string[]): Promise<void> {
  const [mark] = await engine.execute(bind(engine.dialect, selectMeta, { key: 'plain_values' }))
  if (mark?.['value'] !== 'sealed') return
  try {
    for (const sql of statements) await engine.execute({ sql, values: [] })
    await engine.execute(bind(engine.dialect, deleteMeta, { key: 'plain_values' }))
  } catch {
    // Fails for example when the disk is full. The start finds the flag and reports it (compose/open-sealed-store.ts).
  }
}
