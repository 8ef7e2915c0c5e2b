/** The code and parameters of a refusal, beside its words (HT7). */
import { expect, test } from 'vitest'
import { translated } from '../../../src/protocol/notice-words.ts'
import { ja } from '../../../web/src/translations/ja.ts'
import { openSocket } from '../../support/feed-clients.ts'
import { openTestServer } from '../../support/server.ts'

test('[HT7] a refusal carries its code and parameters beside the English words, and the page makes its own words of them', async () => {
  const server = await openTestServer()
  const post = (path: string, body: object) =>
    server.ask(path, { method: 'POST', body: JSON.stringify(body) })
  const { json: none } = await server.ask('/api/projects/none')
  expect(none).toMatchObject({
    detail: 'There is no project none',
    notice: { code: 'noProject', params: { id: 'none' } },
  })
  const { json: field } = await post('/api/projects', { name: 'x', path: 'here' })
  const why = { code: 'absolutePath', params: {} }
  expect(field).toMatchObject({
    detail: 'path: must be an absolute path without ..',
    notice: { code: 'inField', params: { field: 'path', why } },
  })
  // Through the thread that writes.
  const { json: setting } = await post('/api/projects', {
    name: 'x',
    settings: { 'restart.max': 1.5 },
  })
  expect(setting.notice).toEqual({
    code: 'settingWhole',
    params: { key: 'restart.max', min: 0, max: 100 },
  })
  const shown = [none, field, setting].map(({ detail, notice }) =>
    translated(ja.translation, detail, notice),
  )
  expect(shown).toEqual([
    'プロジェクト none はありません',
    'フォルダー: .. を含まない絶対パスにしてください',
    'restart.max は 0〜100 の整数にしてください',
  ])
  // The words do not matter to the page.
  expect(translated(ja.translation, 'In other words', none.notice)).toBe(shown[0])
  const socket = await openSocket({ port: server.port, token: server.ownerToken })
  socket.send({ type: 'subscribe', streams: 5 })
  expect(await socket.next('error')).toMatchObject({
    code: 'invalid_request',
    notice: {
      code: 'inField',
      params: { field: 'streams', why: { code: 'otherType', params: {} } },
    },
  })
})
