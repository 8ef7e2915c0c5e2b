/** Search over HTTP: who may, what is refused, and that what was just written is found. */
import { expect, test } from 'vitest'
import { openTestServer } from '../../support/server.ts'

async function open() {
  const server = await openTestServer()
  const say = async (key: string, content: string) => {
    server.clock.advance(1)
    await server.ask('/api/conversations', { method: 'POST', body: { key } })
    return server.ask(`/api/conversations/${encodeURIComponent(key)}/messages`, {
      method: 'POST',
      body: { role: 'user', content },
    })
  }
  const search = (query: string, token?: string) =>
    server.ask(`/api/search?${query}`, token === undefined ? {} : { token })
  return { server, say, search }
}

test('[DC5] what was written a moment ago is found, over all conversations, page by page', async () => {
  const { say, search } = await open()
  for (let n = 1; n <= 5; n++) await say(`slack:C${n % 2}`, `the plan of day ${n}: 設計`)
  const first = (await search(`q=${encodeURIComponent('設計')}&limit=3`)).json
  expect(first).toMatchObject({ behind: 0, nextCursor: expect.any(String) })
  expect(first.items.map(({ excerpt }: { excerpt: string }) => excerpt.at(16))).toEqual([
    '5',
    '4',
    '3',
  ])
  expect(first.items[0].highlights).toEqual([{ start: 19, end: 21 }])
  const rest = (await search(`q=${encodeURIComponent('設計')}&cursor=${first.nextCursor}`)).json
  expect([rest.items.length, rest.nextCursor]).toEqual([2, null])
  expect((await search('q=plan&conversation=slack:C0')).json.items).toHaveLength(2)
})

test('[DC5] [SE3] people with read may search, agents may not, and what cannot be searched for is said', async () => {
  const { server, say, search } = await open()
  await say('slack:C1', 'secret plan')
  const agent = (
    await server.ask('/api/agents', { method: 'POST', body: { name: 'a', protocol: 'mcp' } })
  ).json
  const { passkey } = (await server.ask(`/api/agents/${agent.id}/passkey`, { method: 'POST' })).json
  expect((await search('q=plan', passkey)).status).toBe(403)
  expect((await search('q=plan', 'hf_script_made_up')).status).toBe(401)
  for (const query of [
    '',
    'q=',
    'q=%20',
    'q=...',
    'q=%22%22',
    `q=${'a'.repeat(201)}`,
    'q=a&from=today',
    'q=a&limit=0',
    'q=a&cursor=x',
  ])
    expect((await search(query)).json, query).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
})

test('[DC11] conversations and tasks are found by title and notes by summary, in one project or all, a few of each', async () => {
  const { server, say, search } = await open()
  const [one, other] = await Promise.all(
    ['one', 'other'].map(
      async (name) =>
        (await server.ask('/api/projects', { method: 'POST', body: { name } })).json.id,
    ),
  )
  const addTask = (projectId: string, title: string) =>
    server.ask(`/api/projects/${projectId}/tasks`, {
      method: 'POST',
      body: { phase: 1, type: 'code', title },
    })
  for (let n = 1; n <= 10; n++) await addTask(one, `Retry the upload ${n}`)
  await addTask(other, '100% of the uploads_are retried')
  await addTask(other, '承認待ちの一覧')
  await say('slack:C1', 'Upload the file again')
  await say('slack:C1', 'upload, and nothing else')
  const imported = {
    messages: [{ role: 'user', content: 'x' }],
    summary: 'Decided to upload in pieces',
    updated: '2020-03-01T10:00:00.000Z',
  }
  await server.ask('/api/conversations/slack:C2/import', { method: 'POST', body: imported })
  const titles = async (q: string, more = '') =>
    (await search(`q=${encodeURIComponent(q)}&titles=true${more}`)).json.titles.map(
      (each: { kind: string; title: string }) => [each.kind, each.title],
    )
  const found = await titles('upload')
  expect(found.map(([kind]: string[]) => kind)).toEqual([
    'conversation',
    ...Array(8).fill('task'),
    'note',
  ])
  expect([found[0], found[9]]).toEqual([
    ['conversation', 'Upload the file again'],
    ['note', 'Decided to upload in pieces'],
  ])
  expect(await titles('retry upload', `&project=${other}`)).toEqual([])
  expect(await titles('retried 100', `&project=${other}`)).toEqual([
    ['task', '100% of the uploads_are retried'],
  ])
  expect(await titles('承認待ち')).toEqual([['task', '承認待ちの一覧']])
  expect(await titles('task_p1_code_003')).toEqual([['task', 'Retry the upload 3']])
  // Not asked for, they are not read.
  expect((await search('q=upload')).json.titles).toBeUndefined()
})
