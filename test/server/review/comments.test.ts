/**
 * RV3 on the server: whose drafts are, what a withdrawn prompt makes of comments, and what is told
 * again. The test plays the machine.
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { listOwnComments } from '../../../src/services/review/change-comment.ts'
import { openAcpChat } from '../../support/acp-chat.ts'

const tree = (n: number): string => String(n).repeat(40)

async function openRoom() {
  const chat = await openAcpChat()
  const { server, machine, room } = chat
  const { projectId } = room
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path: '/w/project' } })
  const key = webKey(projectId, 'coder')
  await server.ask('/api/conversations', { method: 'POST', body: { key } })
  const at = (more: string) => `/api/conversations/${encodeURIComponent(key)}/comments${more}`
  const person = async (name: string, role: string): Promise<string> =>
    (await server.ask('/api/people', { method: 'POST', body: { name, role } })).json.token
  const answer = async (value: unknown) => {
    const { questionId, ask } = await machine.order('question-asked')
    const text = JSON.stringify({ ok: true, value })
    await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
    return ask
  }
  const found = {
    found: true,
    tree: tree(1),
    path: 'a.ts',
    blob: tree(2),
    places: [{ blob: tree(2), line: 3, endLine: 3 }],
    code: { above: [' one'], lines: ['+two `` ```'], below: [] },
  }
  const draft = { file: 'a.ts', side: 'new', line: 3, text: 'Why \u202etwo?' }
  const add = async (token?: string) => {
    const asked = server.ask(at(''), { method: 'POST', body: draft, ...(token && { token }) })
    await answer(found)
    return (await asked).json
  }
  const at1 = { side: 'new', file: 'a.ts', line: 3, endLine: 3 }
  const carried = (...ids: string[]) =>
    answer({
      items: ids.map((id) => ({ id, path: 'a.ts', tree: tree(1), places: [], at: at1 })),
    })
  const list = async (ids: string[], token?: string) => {
    const asked = server.ask(at(''), token ? { token } : {})
    await carried(...ids)
    return (await asked).json.items
  }
  const send = async (ids: string[], token?: string) => {
    const asked = server.ask(at('/send'), { method: 'POST', ...(token && { token }) })
    await carried(...ids)
    return asked
  }
  return { ...chat, key, at, person, answer, add, list, send, draft, tree }
}

test('[RV3] drafts are seen by their author alone, numbers are never given twice, and who only reads may write none', async () => {
  const { server, at, person, add, list, draft, room } = await openRoom()
  const [ann, vi] = [await person('Ann', 'member'), await person('Vi', 'viewer')]
  const own = await add()
  const hers = await add(ann)
  expect([own.number, hers.number]).toEqual([1, 2])
  expect(await list([own.id, hers.id])).toMatchObject([{ id: own.id, state: 'draft' }])
  expect(await list([own.id, hers.id], ann)).toMatchObject([{ id: hers.id }])
  const asAnn = { token: ann }
  for (const [method, body] of [
    ['PATCH', { text: 'mine' }],
    ['PATCH', { resolved: true }],
    ['DELETE', undefined],
  ] as const)
    expect(await server.ask(at(`/${own.id}`), { method, body, ...asAnn })).toMatchObject({
      status: 404,
    })
  expect(await server.ask(at(''), { method: 'POST', body: draft, token: vi })).toMatchObject({
    status: 403,
    json: { code: 'missing_scope' },
  })
  const caller = { agentId: 'coder', projectId: room.projectId, agentSessionId: 'none' }
  expect(await server.store.query(listOwnComments, caller)).toEqual([])
  expect((await server.ask(at(`/${own.id}`), { method: 'DELETE' })).status).toBe(204)
  expect(await add()).toMatchObject({ number: 3 })
})

test('[RV3] what is sent is one message with the code; withdrawn with it, the comments are drafts again, and are sent again', async () => {
  const { server, key, add, list, send, at } = await openRoom()
  const comment = await add()
  const { status, json } = await send([comment.id])
  expect([status, json.sent]).toEqual([201, 1])
  const messages = async () =>
    (await server.ask(`/api/conversations/${encodeURIComponent(key)}/messages`)).json.items
  const [message] = await messages()
  expect(message.content).toContain(
    '````diff\n one\n+two `` ```      <-- c1\n````\nWhy \\u202etwo?',
  )
  expect(await list([comment.id])).toMatchObject([{ state: 'sent', outdated: false }])
  const withdrawn = `/api/conversations/${encodeURIComponent(key)}/messages/${message.seq}/withdraw`
  expect((await server.ask(withdrawn, { method: 'POST' })).status).toBe(200)
  expect(await list([comment.id])).toMatchObject([{ state: 'draft' }])
  const changed = await server.ask(at(`/${comment.id}`), {
    method: 'PATCH',
    body: { text: 'Better.' },
  })
  expect(changed.json).toMatchObject({ text: 'Better.', state: 'draft', replies: [] })
  expect((await send([comment.id])).json.sent).toBe(1)
  expect((await messages())[0].content).toContain('Better.')
  // The agent knows the earlier words.
  const changedLater = await server.ask(at(`/${comment.id}`), {
    method: 'PATCH',
    body: { text: 'No.' },
  })
  expect(changedLater.json).toMatchObject({
    text: 'Better.',
    state: 'sent',
    replies: [{ text: 'c1 now says: No.', state: 'draft' }],
  })
})

test('[RV2] while its machine is away, the list has the last places that are known and says so', async () => {
  const { server, at, add, machine } = await openRoom()
  const { id } = await add()
  await machine.tell({ type: 'goodbye' })
  await expect
    .poll(async () => (await server.ask(at(''))).json)
    .toMatchObject({ checked: false, items: [{ id, line: 3, outdated: false }] })
})
