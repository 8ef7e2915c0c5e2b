/**
 * The store that journeys run on: SQLite, and with `TEST_STORE=postgres` in the environment a
 * PostgreSQL (CF3), an empty schema of it for each data folder, the same one for every server that
 * is started on that folder.
 */
import { keptPostgresUrl } from './postgres.ts'

const onPostgres = process.env['TEST_STORE'] === 'postgres'

const urls = new Map<string, Promise<string>>()

/** What a server on this folder is given besides. */
export async function storeOf(data: string): Promise<Readonly<Record<string, string>>> {
  if (!onPostgres) return {}
  const url = urls.get(data) ?? keptPostgresUrl()
  urls.set(data, url)
  // Nobody stands in front of it that would have to notice.
  return { DATABASE_URL: await url, HOLDFAST_DRAIN_SECONDS: '0' }
}
