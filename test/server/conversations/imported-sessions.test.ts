/** Sessions that people already have, taken in by the command line into a server that runs. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLineOf, type Outcome } from '../../support/command-line.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { playMachine } from '../../support/relay.ts'
import { openTestServer } from '../../support/server.ts'
import { openTestStore } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const samples = join(import.meta.dirname, '../../past-sessions/samples')
const home = join('/home', 'ada')

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** The samples of an agent, as if they had been made in this folder. */
function samplesIn(sample: string, folder: string): string {
  const copy = join(temporaryFolder(), 'copy')
  cpSync(join(samples, sample), copy, { recursive: true })
  for (const file of filesIn(copy))
    writeFileSync(
      file,
      readFileSync(file, 'latin1').replaceAll(join(home, 'shop'), folder),
      'latin1',
    )
  return copy
}

async function open() {
  const clock = manualClock(Date.parse('2026-11-20T09:00:00.000Z'))
  const testStore = await openTestStore({ clock })
  const server = await openTestServer({ testStore })
  const { holdfast } = await commandLineOf(server)
  const shop = join(temporaryFolder(), 'shop')
  mkdirSync(shop)
  const post = async (path: string, body: object, token = server.ownerToken) => {
    const answer = await server.ask(path, { method: 'POST', body, token })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.json
  }
  const { id: projectId } = await post('/api/projects', { name: 'Shop', path: shop })
  await post('/api/agents', {
    id: 'claude',
    name: 'Claude Code',
    protocol: 'acp',
    command: 'claude-agent-acp',
  })
  await server.ask(`/api/projects/${projectId}/agents/claude`, { method: 'PUT', body: {} })
  const config = samplesIn('claude/config', shop)
  const env = { HOME: temporaryFolder(), CLAUDE_CONFIG_DIR: config }
  const take = (...args: string[]): Promise<Outcome> =>
    holdfast(['import', '--from', 'claude', '--json', ...args], { env })
  const imported = async (token = server.ownerToken) =>
    (await server.ask('/api/imported-sessions?limit=100', { token })).json.items as {
      id: string
      key: string
      state: string
    }[]
  const keyOf = async (id: string): Promise<string> =>
    (await imported()).find((each) => each.id.startsWith(id))?.key ?? 'none'
  const read = async (path: string, token = server.ownerToken) =>
    (await server.ask(path, { token })).json
  const person = async (name: string): Promise<string> =>
    (await post('/api/people', { name, role: 'member' })).token
  return {
    server,
    holdfast,
    shop,
    projectId,
    config,
    env,
    take,
    imported,
    keyOf,
    read,
    person,
    post,
  }
}

const secondTurn = '[[write SHOP/notes.txt spring sale]] please write the notes'

test('[IM5] a session becomes a conversation of its project, with its turns as they were', async () => {
  const { take, keyOf, read, projectId, shop } = await open()
  const ran = await take()
  expect(ran.json()).toEqual({
    sessions: 12,
    created: 12,
    grown: 0,
    unchanged: 0,
    turns: 27,
    skipped: [],
  })
  const key = await keyOf('95591d8f')
  expect(key).toMatch(/^session:[0-9a-z]{12}$/)
  expect(await read(`/api/conversations/${key}`)).toMatchObject({
    kind: 'session',
    projectId,
    agentId: 'claude',
    title: 'scripted title',
    messageCount: 8,
    created: '2026-11-18T19:26:18.492Z',
    updated: '2026-11-18T19:28:39.204Z',
    activity: 'idle',
  })
  const { items } = await read(`/api/conversations/${key}/messages?limit=100`)
  expect(items[2]).toMatchObject({
    role: 'user',
    content: secondTurn.replace('SHOP', shop),
    createdAt: '2026-11-18T19:26:19.186Z',
  })
  expect(items[1]).toMatchObject({
    role: 'assistant',
    content: 'はい、覚えました。',
    senderId: 'claude',
  })
  const turns = (await read(`/api/conversations/${key}/turns?items=true`)).items
  expect(turns.map(({ state }: { state: string }) => state)).toEqual(
    Array.from({ length: 4 }, () => 'answered'),
  )
  expect(turns[2].items).toMatchObject([
    {
      kind: 'tool',
      call: { title: `Write ${shop}/notes.txt`, toolKind: 'edit', status: 'completed' },
    },
    { kind: 'text' },
  ])
  expect(turns[3].items[0]).toMatchObject({ kind: 'thought', text: '覚えておく' })
})

test('[IM5] it is found at once, is unread by nobody, and what was taken back is hidden', async () => {
  const { take, keyOf, read } = await open()
  await take()
  const key = await keyOf('de67ba91')
  const { items } = await read('/api/conversations?limit=100')
  expect(items.filter(({ unread }: { unread: boolean }) => unread)).toEqual([])
  const hits = (await read('/api/search?q=asagi')).items
  expect(hits.map((hit: { conversationKey: string }) => hit.conversationKey)).toContain(key)
  const contents = (await read(`/api/conversations/${key}/messages?limit=100`)).items.map(
    ({ content }: { content: string }) => content,
  )
  expect(contents).toContain('the edited question')
  expect(contents).not.toContain('a question that will be edited')
  const archive = (await read(`/api/conversations/${key}/archive?limit=100&hidden=true`)).items
  expect(
    archive.find(({ content }: { content: string }) => content.startsWith('a question that')),
  ).toMatchObject({ visible: false })
  expect((await read('/api/notes')).items).toEqual([])
})

test('[IM6] taken in again nothing is added, and only what is new where there is more', async () => {
  const { take, keyOf, read, config } = await open()
  const [file = ''] = filesIn(config).filter((path) => path.includes('95591d8f'))
  const whole = readFileSync(file, 'utf8')
  const lines = whole.split('\n')
  writeFileSync(file, lines.slice(0, Math.ceil(lines.length / 2)).join('\n'))
  const first = (await take()).json()
  expect((await take()).json()).toMatchObject({ created: 0, grown: 0, unchanged: 12, turns: 0 })
  writeFileSync(file, whole)
  const again = (await take()).json()
  expect(again).toMatchObject({ created: 0, grown: 1, unchanged: 11 })
  expect(first.turns + again.turns).toBe(27)
  const key = await keyOf('95591d8f')
  const turns = (await read(`/api/conversations/${key}/turns?limit=100`)).items
  expect(turns).toHaveLength(4)
  const prompts = (await read(`/api/conversations/${key}/messages?limit=100`)).items
    .filter(({ role }: { role: string }) => role === 'user')
    .map(({ content }: { content: string }) => content)
  expect(new Set(prompts).size).toBe(4)
  expect(prompts).toHaveLength(4)
})

test('[IM6] one that was deleted comes back only when it is named', async () => {
  const { take, keyOf, server, imported } = await open()
  await take()
  const key = await keyOf('95591d8f')
  await server.ask(`/api/conversations/${key}`, { method: 'DELETE' })
  expect((await server.ask(`/api/conversations/${key}`)).status).toBe(404)
  const again = (await take()).json()
  expect(again).toMatchObject({ created: 0, unchanged: 11, turns: 0 })
  expect(again.skipped.map(({ reason }: { reason: string }) => reason)).toEqual([
    'it was deleted here; --session with its id takes it in again',
  ])
  const { json: all } = await server.ask('/api/imported-sessions?agent=claude', {
    method: 'DELETE',
  })
  expect(all).toEqual({ deleted: 11 })
  expect(new Set((await imported()).map(({ state }) => state))).toEqual(new Set(['deleted']))
  const named = await take('--session', '95591d8f-da72-457d-bbd3-a19608c4835d')
  expect(named.json()).toMatchObject({ created: 1, turns: 4 })
  expect((await server.ask(`/api/conversations/${key}`)).status).toBe(200)
})

test('[IM7] it is its person’s: nobody else lists, reads, finds or deletes it', async () => {
  const { holdfast, env, imported, read, person, server } = await open()
  const [ann, bob] = [await person('Ann'), await person('Bob')]
  await holdfast(['import', '--from', 'claude', '--json'], { env: { ...env, HOLDFAST_TOKEN: ann } })
  expect(await imported(ann)).toHaveLength(12)
  const keys = (await imported(ann)).map(({ key }) => key)
  expect(await imported(bob)).toEqual([])
  expect((await read('/api/conversations?limit=100', bob)).items).toEqual([])
  expect((await read('/api/search?q=asagi', bob)).items).toEqual([])
  expect((await read('/api/search?q=asagi', ann)).items).not.toEqual([])
  for (const key of keys)
    expect((await server.ask(`/api/conversations/${key}`, { token: bob })).status).toBe(404)
  const others = await server.ask('/api/imported-sessions?agent=claude', {
    method: 'DELETE',
    token: bob,
  })
  expect(others.json).toEqual({ deleted: 0 })
  expect((await read('/api/conversations?limit=100', ann)).items).toHaveLength(12)
})

/** Ann's, of which one is in no project, and what she and others may do with them. */
async function annsSessions() {
  const room = await open()
  const { holdfast, env, person, imported, server, config, shop, read } = room
  const [ann, bob] = [await person('Ann'), await person('Bob')]
  const loft = join(temporaryFolder(), 'loft')
  mkdirSync(loft)
  const [file = ''] = filesIn(config).filter((path) => path.includes('de67ba91'))
  writeFileSync(file, readFileSync(file, 'latin1').replaceAll(shop, loft), 'latin1')
  const takeForAnn = (): Promise<Outcome> =>
    holdfast(['import', '--from', 'claude', '--json'], { env: { ...env, HOLDFAST_TOKEN: ann } })
  await takeForAnn()
  const keyOf = async (id: string): Promise<string> =>
    (await imported(ann)).find((each) => each.id.startsWith(id))?.key ?? 'none'
  const change = (key: string, body: object, token = ann) =>
    server.ask(`/api/conversations/${key}`, { method: 'PATCH', body, token })
  const refused = async (key: string, body: object, token = ann) => {
    const { status, json } = await change(key, body, token)
    return [status, json.code]
  }
  const keys = async (path: string, name: string, token: string): Promise<string[]> =>
    (await read(path, token)).items.map((item: Record<string, string>) => item[name])
  return {
    ...room,
    ann,
    bob,
    loft,
    takeForAnn,
    change,
    refused,
    listed: (token: string, query = ''): Promise<string[]> =>
      keys(`/api/conversations?limit=100${query}`, 'key', token),
    found: async (token: string, query = ''): Promise<string[]> => [
      ...new Set(await keys(`/api/search?q=asagi${query}`, 'conversationKey', token)),
    ],
    inProject: await keyOf('95591d8f'),
    inNone: await keyOf('de67ba91'),
  }
}

test('[IM10] shared once by its person, it is seen as any session', async () => {
  const {
    server,
    ann,
    bob,
    change,
    refused,
    listed,
    found,
    inNone: key,
    read,
    person,
  } = await annsSessions()
  const stream = encodeURIComponent(`conversation:${key}`)
  const followed = async (token: string): Promise<number> =>
    (await server.ask(`/api/snapshot?streams=${stream}`, { token })).status
  expect(await read(`/api/conversations/${key}`, ann)).toMatchObject({ shared: false })
  expect(await refused(key, { shared: true }, bob)).toEqual([404, 'not_found'])
  expect(await refused(key, { shared: true }, server.ownerToken)).toEqual([403, 'not_yours'])
  expect(await refused(key, { shared: false })).toEqual([422, 'sharing_stays'])
  expect([await listed(bob), await found(bob), await followed(bob)]).toEqual([[], [], 404])

  const { json } = await change(key, { shared: true, title: 'For all' })
  expect(json).toMatchObject({ shared: true, title: 'For all' })
  for (const token of [bob, await person('Cem')]) {
    expect([await listed(token), await found(token)]).toEqual([[key], [key]])
    expect(await followed(token)).toBe(200)
    expect(await read(`/api/conversations/${key}`, token)).toMatchObject({ shared: true })
  }
  expect(await refused(key, { shared: true })).toEqual([409, 'wrong_state'])
  expect(await refused(key, { shared: true }, bob)).toEqual([403, 'not_yours'])
  expect(await refused(key, { shared: false })).toEqual([422, 'sharing_stays'])
})

test('[IM10] a project is given once, while it has none, and search follows', async () => {
  const { ann, bob, post, change, refused, listed, found, inNone, inProject, projectId, read } =
    await annsSessions()
  const { id: other } = await post('/api/projects', { name: 'Other' })
  const there = [`&projectId=${other}`, `&project=${other}`]
  const seen = async (token: string) => [
    await listed(token, there[0]),
    await found(token, there[1]),
  ]
  expect(await refused(inNone, { projectId: 'nowhere', shared: true })).toEqual([404, 'not_found'])
  expect(await refused(inNone, { projectId: other }, bob)).toEqual([404, 'not_found'])
  expect(await refused(inProject, { projectId: other })).toEqual([409, 'wrong_state'])
  const before = await read(`/api/conversations/${inNone}`, ann)
  expect(before).toMatchObject({ projectId: null, shared: false })
  expect(await seen(ann)).toEqual([[], []])

  expect((await change(inNone, { projectId: other })).json).toMatchObject({ projectId: other })
  expect(await seen(ann)).toEqual([[inNone], [inNone]])
  expect(await seen(bob)).toEqual([[], []])
  for (const again of [projectId, other])
    expect(await refused(inNone, { projectId: again })).toEqual([409, 'wrong_state'])
  await change(inNone, { shared: true })
  expect(await seen(bob)).toEqual([[inNone], [inNone]])
})

test('[IM10] in the project of its folder its agent goes on, and imports follow', async () => {
  const { ann, loft, post, server, change, inNone, takeForAnn, read } = await annsSessions()
  const { id } = await post('/api/projects', { name: 'Loft', path: loft })
  await server.ask(`/api/projects/${id}/agents/claude`, { method: 'PUT', body: {} })
  const { json } = await change(inNone, { projectId: id })
  expect(json).toMatchObject({ projectId: id, agentId: 'claude' })
  const { contexts } = await read(`/api/conversations/${inNone}/context`, ann)
  expect(contexts).toMatchObject([{ agentId: 'claude', projectId: id, state: 'asleep' }])
  expect(contexts[0].openedAt).not.toBe(null)
  expect((await takeForAnn()).json()).toMatchObject({ created: 0, turns: 0, unchanged: 12 })
  expect(await read(`/api/conversations/${inNone}`, ann)).toMatchObject({ projectId: id })
})

test('[IM12] its own agent goes on in the session of the terminal, and nothing is added twice', async () => {
  const { server, take, imported, post, read } = await open()
  await take()
  const { id, key } = (await imported()).find((each) => each.id.startsWith('95591d8f')) ?? {}
  const machine = await post('/api/tokens', { name: 'machine', kind: 'coordinator' })
  const { order, particulars } = await playMachine(server, machine.id, machine.token)
  await post('/api/chat', { conversationKey: key, content: 'go on' })
  await post(`/api/conversations/${key}/warm`, {})
  const { launchId } = await order('launch-begun')
  expect(particulars(launchId).acp).toMatchObject({ loadAcpSessionId: id })
  expect((await take()).json()).toMatchObject({ created: 0, turns: 0, unchanged: 12 })
  expect(await read(`/api/conversations/${key}`)).toMatchObject({ messageCount: 9 })
})

test('[IM10] what began here is neither given nor shared', async () => {
  const { post, projectId, refused, server } = await annsSessions()
  const begun = { agentId: 'claude', title: 'Here' }
  const { key } = await post(`/api/projects/${projectId}/conversations`, begun)
  for (const body of [{ projectId }, { shared: true }])
    expect(await refused(key, body, server.ownerToken)).toEqual([409, 'wrong_state'])
})

const planted = [
  ['sk', 'ant', 'api03', 'abcdefghijklmnopqrstuvwxyz'].join('-'),
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'AKIAIOSFODNN7EXAMPLE',
  'xoxb-123456789012-abcdefghijkl',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAsecretsecretsecret\n-----END RSA PRIVATE KEY-----',
]
const plantedWords = ['sk-ant-', 'ghp_abc', 'AKIAIOS', 'xoxb-123', 'dozjgNryP4', 'MIIEowIBAAK']

test('[IM8] keys in texts are masked before they leave the files', async () => {
  const { holdfast, env, server, imported, read } = await open()
  const agent = join(temporaryFolder(), 'agent')
  cpSync(join(samples, 'pi/agent'), agent, { recursive: true })
  const [file = ''] = filesIn(agent).filter((path) => path.includes('d8a3729fae52'))
  const keys = JSON.stringify(planted.join(' ')).slice(1, -1)
  const text = readFileSync(file, 'utf8')
    .replaceAll('[[think', `${keys} [[think`)
    .replaceAll('"thinking":"', `"thinking":"${keys} `)
    .replaceAll('echo: ', `echo: ${keys} `)
    .replaceAll('spring sale"', `spring sale ${keys}"`)
    .replaceAll('Successfully wrote', `${keys} Successfully wrote`)
  writeFileSync(file, text)
  for (const word of plantedWords) expect(text).toContain(word)
  const args = ['import', '--from', 'pi', '--json']
  const ran = await holdfast(args, { env: { ...env, PI_CODING_AGENT_DIR: agent } })
  expect(ran.json()).toMatchObject({ created: 9 })
  const key = (await imported()).find(({ id }) => id.endsWith('d8a3729fae52'))?.key
  const stream = encodeURIComponent(`conversation:${key}`)
  const said = [
    ran.stdout,
    server.log(),
    ...(await Promise.all(
      [
        `/api/conversations/${key}`,
        `/api/conversations/${key}/archive?limit=100`,
        `/api/conversations/${key}/turns?items=true`,
        `/api/snapshot?streams=${stream}`,
        '/api/imported-sessions',
        '/api/search?q=spring',
      ].map(async (path) => JSON.stringify(await read(path))),
    )),
    ...filesIn(server.folder)
      .filter((path) => statSync(path).size < 64 * 1024 * 1024)
      .map((path) => readFileSync(path, 'latin1')),
  ].join('\n')
  expect(said).toContain('[masked]')
  for (const word of plantedWords) expect(said).not.toContain(word)
})
