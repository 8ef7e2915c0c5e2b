/**
 * Erases what sealed values were before (SE12): text that a database has let go of stays in its files until they are written anew. Done once,
 * when a store is opened whose plain values were sealed since; a mark says so until it is done. On failure the mark stays, for the next time.
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
    // There is no room for it, say. Whoever starts looks for the mark and says so (compose/open-sealed-store.ts).
  }
}
