/** HT7: launches of the build before have the English words alone, and the page translates them all the same. */
import { expect, test } from 'vitest'
import { translated } from '../../src/protocol/notice-words.ts'
import { ja } from '../../web/src/translations/ja.ts'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

test.each(engines)('[HT7] a process that ended under the build before is shown translated: %s', async (engine) => {
  const db = await databaseOf(engine, 26)
  const last = 'It failed 3 times within 60 s. Last: It ended with exit code 1'
  const launch = { agent_id: 'a', project_id: 'p', coordinator_id: 'c', state: 'held', ordered_at: '2026-03-01T09:00:00.000Z' }
  await insert(db, 'launches', { ...launch, id: 'l', detail: last, output: '' })
  await db.migrate()
  const [row] = (await db.run('select detail, notice from launches')) as { detail: string; notice: null }[]
  expect(row).toEqual({ detail: last, notice: null })
  expect(translated(ja.translation, row?.detail ?? '', row?.notice)).toBe(
    '60 秒間に 3 回失敗しました。最後の理由: 終了コード 1 で終了しました',
  )
})
