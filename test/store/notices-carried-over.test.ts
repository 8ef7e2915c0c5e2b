/**
 * HT7: launches of the build before have the English words alone, and the page translates them all
 * the same.
 */
import { expect, test } from 'vitest'
import { translated } from '../../src/protocol/notice-words.ts'
import { ja } from '../../web/src/translations/ja.ts'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

test.each(engines)(
  '[HT7] a process that ended under the build before is shown translated: %s',
  async (engine) => {
    const db = await databaseOf(engine, 26)
    const last = 'It failed 3 times within 60 s. Last: It ended with exit code 1'
    const launch = {
      agent_id: 'a',
      project_id: 'p',
      coordinator_id: 'c',
      state: 'held',
      ordered_at: '2026-03-01T09:00:00.000Z',
    }
    await insert(db, 'launches', { ...launch, id: 'l', detail: last, output: '' })
    await db.migrate()
    const [row] = (await db.run('select detail, notice from launches')) as {
      detail: string
      notice: null
    }[]
    expect(row).toEqual({ detail: last, notice: null })
    expect(translated(ja.translation, row?.detail ?? '', row?.notice)).toBe(
      '60 秒間に 3 回失敗しました。最後の理由: 終了コード 1 で終了しました',
    )
  },
)

test.each(engines)(
  '[HT7] a message and a role of the build before keep their words and have no notice: %s',
  async (engine) => {
    const db = await databaseOf(engine, 28)
    const at = '2026-03-01T09:00:00.000Z'
    const message = {
      conversation_key: 'web:p.a',
      seq: 1,
      id: 'm',
      role: 'assistant',
      sender_id: 'a',
      visible: 1,
      priority: 'normal',
    }
    await insert(db, 'messages', { ...message, content: 'Stopped by Anna.', created_at: at })
    await db.migrate()
    const [row] = (await db.run('select content, notice from messages')) as {
      content: string
      notice: null
    }[]
    expect(row).toEqual({ content: 'Stopped by Anna.', notice: null })
    expect(translated(ja.translation, row?.content ?? '', row?.notice)).toBe(
      'Anna が停止しました。',
    )
    for (const table of [
      'turns',
      'contexts',
      'user_sessions',
      'worktrees',
      'channels',
      'channel_chats',
      'sessions',
    ])
      expect(await db.run(`select notice from ${table}`)).toEqual([])
    expect(await db.run('select notices from role_agents')).toEqual([])
  },
)
