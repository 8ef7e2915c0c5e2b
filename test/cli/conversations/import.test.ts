/** `holdfast import` and `holdfast export` of conversations (CV7), against a server that runs. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openInstallation, runCommand } from '../../support/command-line.ts'
import { amount } from '../../support/extent.ts'
import { picoclawSession, writePicoclaw } from '../../support/picoclaw.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const broken: readonly ((key: string) => string)[] = [
  () => '',
  () => '{"key": "telegram:1", "messages": [',
  () => '[]',
  (key) => JSON.stringify({ messages: [], summary: key }),
  () => JSON.stringify(picoclawSession('heartbeat')),
  () => JSON.stringify(picoclawSession('../../etc:passwd')),
  (key) => JSON.stringify(picoclawSession(key, { messages: [{ role: 7, content: 'x' }] })),
  (key) => JSON.stringify(picoclawSession(key, { messages: [{ role: 'user', content: 5 }] })),
  (key) => JSON.stringify(picoclawSession(key, { flags: { local_only: 'perhaps' } })),
  (key) => JSON.stringify(picoclawSession(key, { updated: 'yesterday' })),
]

test('[CV7] of many files of picoclaw the broken ones are named, the others come in', async () => {
  const { server, holdfast } = await openInstallation()
  const folder = temporaryFolder()
  const bad = new Set<string>()
  const files = amount(200, 1000)
  for (let n = 0; n < files; n++) {
    const key = `telegram:${n}`
    const make = n % 20 === 7 ? broken[Math.floor(n / 20) % broken.length] : undefined
    const name = `telegram_${String(n).padStart(4, '0')}.json`
    if (make) bad.add(name)
    writePicoclaw(
      folder,
      name,
      make
        ? make(key)
        : picoclawSession(key, n > 0 ? { messages: [{ role: 'user', content: key }] } : {}),
    )
  }
  const first = await holdfast(['import', folder, '--json'])
  expect(first.code).toBe(0)
  const { skipped, ...counts } = first.json()
  const created = files * 0.95
  expect(counts).toEqual({
    folder,
    files,
    created,
    grown: 0,
    unchanged: 0,
    messages: created - 1 + 4,
  })
  expect(new Set(skipped.map(({ file }: { file: string }) => file))).toEqual(bad)
  expect(bad.size).toBe(files / 20)
  for (const { why } of skipped) expect(why).toMatch(/\S/)

  const { json } = await server.ask('/api/conversations/telegram%3A0')
  expect(json).toMatchObject({
    key: 'telegram:0',
    summary: 'They say hello',
    flags: { localOnly: true, workOverlayTurnsLeft: 3, from_a_newer_one: { deep: [1, null] } },
    messageCount: 4,
    created: '2026-02-27T00:00:00.123Z',
    updated: '2026-02-28T09:30:00.500Z',
  })
}, 120_000)

test('[CV7] an import tells what came in and why others did not, and repeats nothing', async () => {
  const { server, holdfast } = await openInstallation()
  const folder = temporaryFolder()
  writePicoclaw(folder, 'telegram_1.json', picoclawSession('telegram:1'))
  writePicoclaw(folder, 'torn.json', '{"key": "tele')
  writePicoclaw(folder, 'no_key.json', JSON.stringify({ messages: [] }))
  writePicoclaw(folder, 'climbing.json', picoclawSession('a:../b'))
  mkdirSync(join(folder, 'sub.json'))
  symlinkSync('/etc/hostname', join(folder, 'link.json'))
  writeFileSync(join(folder, '.hidden.json'), 'x')
  const { code, stdout, stderr } = await holdfast(['import', folder])
  expect([code, stdout]).toEqual([
    0,
    `✓ Took in 1 new conversation and 4 messages from ${folder}\n`,
  ])
  expect(stderr.split('\n').map((line) => line.trimEnd())).toEqual([
    'SKIPPED        WHY',
    'climbing.json  A key must not contain slashes',
    'link.json      It is not a file',
    'no_key.json    key: Invalid input: expected string, received undefined',
    'torn.json      It is not JSON',
    '4 files skipped; mend them and run the same again: what is in stays as it is.',
    '',
  ])
  expect((await holdfast(['import', folder])).stdout).toContain(
    '0 new conversations and 0 messages (1 was there already)',
  )
  writePicoclaw(folder, 'telegram_1.json', {
    ...picoclawSession('telegram:1'),
    messages: [
      ...(picoclawSession('telegram:1').messages as object[]),
      { role: 'user', content: 'and more' },
    ],
  })
  expect((await holdfast(['import', folder])).stdout).toContain(
    '0 new conversations and 1 message (1 had more to say)',
  )

  // The message is of its own day, is handed to agents until the next boundary, and does not come
  // in again after it.
  const at = '/api/conversations/telegram%3A1'
  expect((await server.ask(`${at}/messages`)).json.items).toHaveLength(5)
  expect((await server.ask(`${at}/chapters`)).json.items).toMatchObject([{ day: '2026-02-28' }])
  const cutover = (now: string) => server.ask(`${at}/cutover`, { method: 'POST', body: { now } })
  expect((await cutover('2026-03-01T18:59:00.000Z')).json).toMatchObject({ cut: false })
  expect((await cutover('2026-03-01T19:00:00.000Z')).json).toMatchObject({ cut: true })
  expect((await holdfast(['import', folder])).stdout).toContain('0 messages (1 was there already)')
  expect((await server.ask(`${at}/messages`)).json.items).toEqual([])
  expect((await server.ask(`${at}/chapters/2026-02-28/messages`)).json.items).toHaveLength(5)

  expect(await holdfast(['import', join(folder, 'nowhere')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no folder'),
  })
  expect(await holdfast(['import', temporaryFolder()])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There are no conversation files'),
  })
})

/** What files say, by the key inside. */
function filesIn(folder: string): Map<string, { name: string; text: string }> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return new Map(
    names
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
      .map(([name, text]) => [JSON.parse(text).key, { name, text }]),
  )
}

test('[CV7] what came in goes out with the same meaning, later byte for byte', async () => {
  const { server, holdfast } = await openInstallation()
  const folder = temporaryFolder()
  const long = Array.from({ length: 1203 }, (_, n) => ({
    role: 'user',
    content: `${n}${'長'.repeat(n % 40 === 0 ? 20_000 : 3)}`,
  }))
  const sources = [
    picoclawSession('telegram:1'),
    picoclawSession('slack:C0123', { messages: long }),
    picoclawSession('slack:c0123', { messages: null, summary: undefined, flags: undefined }),
    picoclawSession('line:ملاحظة 🙂', { messages: [] }),
    picoclawSession('a:b:c', {
      flags: { theirs: 'x', prev_primary_route: 'r', pending_origin_reply: false },
    }),
  ]
  for (const [n, source] of sources.entries()) writePicoclaw(folder, `${n}.json`, source)
  expect((await holdfast(['import', folder])).stdout).toContain(
    '5 new conversations and 1,211 messages',
  )

  const out = join(temporaryFolder(), 'out')
  const exported = await runCommand(['export', out, '--data', server.folder, '--json'])
  expect(exported.json()).toMatchObject({ folder: out, conversations: 5 })
  const files = filesIn(join(out, 'conversations'))
  expect([...files.keys()].sort()).toEqual(sources.map(({ key }) => key).sort())
  for (const source of sources) {
    const {
      messages,
      summary = '',
      flags = {},
      key,
    } = source as { messages: object[] | null; summary?: string; flags?: object; key: string }
    const { pending_origin_reply: _, ...set } = flags as Record<string, unknown>
    expect(JSON.parse(files.get(key)?.text ?? '')).toEqual({
      key,
      messages: messages ?? [],
      summary,
      flags: set,
      created: '2026-02-27T00:00:00.123Z',
      updated: '2026-02-28T09:30:00.500Z',
    })
  }

  const second = await openInstallation()
  expect((await second.holdfast(['import', out])).stdout).toContain(
    '5 new conversations and 1,211 messages',
  )
  const outAgain = join(temporaryFolder(), 'out')
  await runCommand(['export', outAgain, '--data', second.server.folder])
  const textsOf = (found: ReturnType<typeof filesIn>) =>
    [...found].map(([key, { text }]) => [key, text]).sort()
  expect(textsOf(filesIn(join(outAgain, 'conversations')))).toEqual(textsOf(files))

  // The same for a store that is built from the files alone (CK4).
  const data = join(temporaryFolder(), 'data')
  const rebuilt = await runCommand(['rebuild', out, '--data', data, '--json'])
  expect(rebuilt.json()).toMatchObject({ conversations: 5, unreadable: [] })
  await runCommand(['export', '--data', data])
  expect(textsOf(filesIn(join(data, 'conversations')))).toEqual(textsOf(files))
})

test('[SN26] sessions that are made from the files again are what they were', async () => {
  const { server, holdfast } = await openInstallation()
  const { id: projectId } = (await holdfast(['projects', 'create', 'p', '--json'])).json()
  for (const agent of ['ann', 'bob']) {
    const body = { id: agent, name: agent, protocol: 'acp', command: 'true', args: [] }
    await server.ask('/api/agents', { method: 'POST', body })
    await holdfast(['projects', 'assign', 'p', agent])
  }
  const post = async (path: string, body: object) =>
    (await server.ask(path, { method: 'POST', body })).json
  const begin = (body: object) =>
    post(`/api/projects/${projectId}/conversations`, { agentId: 'ann', ...body })
  const { key } = await begin({ content: 'mend the gate', title: 'The gate' })
  await begin({ content: 'paint it', workplace: { folder: '/srv/shed' } })
  await post(`/api/conversations/${key}/agent`, { agentId: 'bob' })
  const chat = await post('/api/chat', { projectId, toAgentId: 'ann', content: 'first' })
  await post(`/api/conversations/${chat.conversationKey}/agent`, { agentId: 'bob' })
  const out = join(temporaryFolder(), 'out')
  expect(await runCommand(['export', out, '--data', server.folder])).toMatchObject({ code: 0 })
  const filesIn = (folder: string) =>
    readdirSync(join(folder, 'conversations'))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => JSON.parse(readFileSync(join(folder, 'conversations', name), 'utf8')))
      .map(({ updated: _, ...file }) => file)
  expect(filesIn(out).map(({ thread }) => thread)).toContainEqual({
    project_id: projectId,
    agent_id: 'bob',
    agents: expect.stringContaining('ann'),
    title: 'The gate',
    titled_by: expect.any(String),
    workplace: expect.any(String),
    workplace_folder: null,
    continued_as: null,
    continued_from: null,
    forked_from: null,
  })
  const data = join(temporaryFolder(), 'data')
  const rebuilt = await runCommand(['rebuild', out, '--data', data, '--json'])
  expect(rebuilt.json()).toMatchObject({ conversations: filesIn(out).length, unreadable: [] })
  const again = join(temporaryFolder(), 'again')
  expect(await runCommand(['export', again, '--data', data])).toMatchObject({ code: 0 })
  expect(filesIn(again)).toEqual(filesIn(out))
})

test('[CV7] export does not wait for what never ends, such as a pipe among its files', async () => {
  const { server, holdfast } = await openInstallation()
  const { id } = (await holdfast(['projects', 'create', 'p', '--json'])).json()
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp'])
  await holdfast(['projects', 'assign', 'p', 'ann'])
  await holdfast(['chat', 'ann', '--message', 'kept'])
  const exportInto = (folder: string) => runCommand(['export', folder, '--data', server.folder])
  expect(await exportInto('/proc/self')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be written into /proc/self'),
  })
  const out = join(temporaryFolder(), 'out')
  expect(await exportInto(out)).toMatchObject({ code: 0 })
  const files = readdirSync(out, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  expect(paths.length).toBeGreaterThan(3)
  for (const path of paths) {
    rmSync(path)
    execFileSync('bash', ['-c', 'mkfifo "$1"', 'bash', path])
    const { code, stderr } = await exportInto(out)
    // Put in its place, or told; never waited for.
    if (code !== 0)
      expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} is in the way`)])
    rmSync(path)
  }
  expect(await exportInto(out)).toMatchObject({ code: 0 })
  for (const path of paths) expect(statSync(path).isFile()).toBe(true)
  expect(JSON.parse(readFileSync(join(out, 'projects', id, 'project.json'), 'utf8'))).toMatchObject(
    { id },
  )
})
