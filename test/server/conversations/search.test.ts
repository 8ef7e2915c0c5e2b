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
  const search = (query: string, token?: string) => server.ask(`/api/search?${query}`, token === undefined ? {} : { token })
  return { server, say, search }
}

test('[DC5] what was written a moment ago is found, over all conversations, page by page', async () => {
  const { say, search } = await open()
  for (let n = 1; n <= 5; n++) await say(`slack:C${n % 2}`, `the plan of day ${n}: 設計`)
  const first = (await search(`q=${encodeURIComponent('設計')}&limit=3`)).json
  expect(first).toMatchObject({ behind: 0, nextCursor: expect.any(String) })
  expect(first.items.map(({ excerpt }: { excerpt: string }) => excerpt.at(16))).toEqual(['5', '4', '3'])
  expect(first.items[0].highlights).toEqual([{ start: 19, end: 21 }])
  const rest = (await search(`q=${encodeURIComponent('設計')}&cursor=${first.nextCursor}`)).json
  expect([rest.items.length, rest.nextCursor]).toEqual([2, null])
  expect((await search('q=plan&conversation=slack:C0')).json.items).toHaveLength(2)
})

test('[DC5] [SE3] people with read may search, agents may not, and what cannot be searched for is said', async () => {
  const { server, say, search } = await open()
  await say('slack:C1', 'secret plan')
  const agent = (await server.ask('/api/agents', { method: 'POST', body: { name: 'a', protocol: 'mcp' } })).json
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
    expect((await search(query)).json, query).toMatchObject({ status: 400, code: 'invalid_request' })
})
