/**
 * RV with everything real: a git repository, the demo agent over ACP, comments on what it changed,
 * sent as its next prompt, answered, carried, resolved.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { threadUri } from '../../src/doors/ahp/names.ts'
import type { ReviewComment } from '../../src/protocol/review/comment.ts'
import { ahpClient } from '../support/ahp-client.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

const body = [
  'import { get } from "net"',
  '',
  'export function page(url) {',
  '  return get(url)',
  '}',
]
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`

async function openRoom() {
  const { repository, chat, holdfast } = await openRepositoryChat()
  const { client, projectId, agentId } = chat
  const key = `web:${projectId}.${agentId}`
  const params = { key }
  const say = async (words: string) => {
    await chat.say(words)
    return chat.answer()
  }
  const write = (...lines: string[]) =>
    writeFileSync(join(repository.folder, 'client.js'), text(lines))
  const comments = async (): Promise<ReviewComment[]> =>
    (await client.get('/api/conversations/{key}/comments', { params })).items
  const add = (draft: object): Promise<ReviewComment> =>
    client.post('/api/conversations/{key}/comments', { params, body: draft as never })
  const send = () => client.post('/api/conversations/{key}/comments/send', { params })
  /** What VS Code reads of a changed file: as it was, and as it is. */
  const sidesInEditor = async (name: string): Promise<string[]> => {
    const headers = { authorization: `Bearer ${holdfast.token}` }
    const editor = await ahpClient({ port: Number(new URL(holdfast.url).port), headers })
    await editor.initialize()
    await editor.result('subscribe', { channel: `${threadUri(agentId, key)}/changeset/session` })
    const { params: first } = await editor.until(
      (message) => message.params?.action?.type === 'changeset/contentChanged',
    )
    const { edit } = first.action.files.find(({ id }: { id: string }) => id.endsWith(name))
    const sides: string[] = []
    for (const { content } of [edit.before, edit.after]) {
      const { data } = await editor.result('resourceRead', { uri: content.uri })
      sides.push(`${Buffer.from(data, 'base64').toString().trimEnd()}\n`)
    }
    editor.close()
    return sides
  }
  const room = { repository, chat, holdfast, client, key, params, sidesInEditor }
  return { ...room, say, write, comments, add, send }
}

test('[RV2] [RV3] [RV4] [AH8] comments on lines of both sides become the next prompt, follow their lines, are answered by text and by tools, and resolved', async () => {
  const { repository, chat, client, params, say, write, comments, add, send, sidesInEditor } =
    await openRoom()
  repository.write('client.js', text(['// first', ...body]))
  repository.git('add', '.')
  repository.git('commit', '-q', '-m', 'client')
  await say(
    `[[write client.js ${text([...body.slice(0, 3), '  const answer = get(url)', '  return answer', '}'])}]] written`,
  )
  expect(await sidesInEditor('client.js')).toEqual([
    text(['// first', ...body]),
    text([...body.slice(0, 3), '  const answer = get(url)', '  return answer', '}']),
  ])
  const [, first] = [
    await add({ file: 'client.js', side: 'old', line: 1, text: 'Why is it gone?' }),
    await add({
      file: 'client.js',
      side: 'new',
      line: 4,
      text: '[[tool resolve_comment {"comment": "c2", "text": "named"}]] [[say c1: It said nothing.]] Name it.',
    }),
  ]
  expect(first).toMatchObject({
    number: 2,
    state: 'draft',
    quoted: '  const answer = get(url)',
    outdated: false,
    resolved: false,
    replies: [],
  })
  for (const [wrong, code] of [
    [{ file: 'client.js', side: 'new', line: 40, text: 'x' }, 'no_such_line'],
    [{ file: 'none.js', side: 'new', line: 1, text: 'x' }, 'no_such_file'],
    [{ file: 'client.js', side: 'new', line: 1, text: '  ' }, 'empty_comment'],
  ] as const)
    await expect(add(wrong)).rejects.toMatchObject({ problem: { status: 422, code } })
  // What a person writes meanwhile moves the lines.
  write('// above', '', ...body.slice(0, 3), '  const answer = get(url)', '  return answer', '}')
  expect(await comments()).toMatchObject([
    { number: 1, side: 'old', line: 1, outdated: false },
    { number: 2, side: 'new', line: 6, outdated: false },
  ])
  const { turnId, sent } = await send()
  expect({ turnId, sent }).toEqual({ turnId: expect.any(String), sent: 2 })
  await expect(send()).rejects.toMatchObject({ problem: { status: 409, code: 'nothing_to_send' } })
  await chat.answer()
  const { items: turns } = await client.get('/api/conversations/{key}/turns', {
    params,
    query: {},
  })
  expect(turns[0]?.id).toBe(turnId)
  const { items } = await client.get('/api/conversations/{key}/messages', { params, query: {} })
  const prompt = items.find(({ content }) => content.startsWith('Review of your changes'))?.content
  expect(prompt).toContain('## c1 client.js:1, a line you removed')
  expect(prompt).toContain('-// first      <-- c1')
  expect(prompt).toContain('## c2 client.js:6\n')
  expect(await comments()).toMatchObject([
    { number: 1, state: 'answered', replies: [{ text: 'It said nothing.', state: 'sent' }] },
    { number: 2, state: 'resolved', resolved: true, replies: [{ text: 'named' }] },
  ])
  const reopened = await client.patch('/api/conversations/{key}/comments/{commentId}', {
    params: { ...params, commentId: first.id },
    body: { resolved: false },
  })
  expect(reopened).toMatchObject({ state: 'answered', resolved: false })
  // The line is written anew: the comment says what it was about.
  write(...body)
  expect((await comments())[1]).toMatchObject({
    outdated: true,
    line: 4,
    quoted: '  const answer = get(url)',
  })
  // A rewind finds it again.
  write('// above', '', ...body.slice(0, 3), '  const answer = get(url)', '  return answer', '}')
  expect((await comments())[1]).toMatchObject({ outdated: false, line: 6 })
})

test('[RV1] [RV5] views are of two trees, and a viewed mark falls when its file changes', async () => {
  const { repository, client, params, say, write } = await openRoom()
  write(...body)
  repository.git('add', '.')
  repository.git('commit', '-q', '-m', 'client')
  await say('[[write client.js export const page = 1\n]] [[write other.js 1\n]] written')
  const review = (query: object) =>
    client.get('/api/conversations/{key}/review', { params, query: query as never })
  const seen = await review({})
  expect(seen).toMatchObject({
    files: [
      { path: 'client.js', change: 'modified', added: 1, removed: 5 },
      { path: 'other.js', change: 'added', added: 1, removed: 0 },
    ],
    fileCount: 2,
    cut: false,
  })
  const viewed = async () =>
    (await client.get('/api/conversations/{key}/viewed', { params })).items.map(({ file }) => file)
  const mark = (file: string, isViewed = true) =>
    client.put('/api/conversations/{key}/viewed', { params, body: { file, viewed: isViewed } })
  await mark('client.js')
  await mark('other.js')
  await expect(mark('none.js')).rejects.toMatchObject({
    problem: { status: 422, code: 'no_such_file' },
  })
  await client.put('/api/conversations/{key}/review/seen', { params, body: { to: seen.to } })
  expect((await review({ view: 'since' })).files).toEqual([])
  write('export const page = 2')
  expect(await viewed()).toEqual(['other.js'])
  expect((await review({ view: 'since' })).files).toMatchObject([{ path: 'client.js' }])
  expect((await review({ view: 'uncommitted' })).fileCount).toBe(2)
  const { items } = await client.get('/api/conversations/{key}/turns', { params, query: {} })
  const turn = await review({ turnId: items[0]?.id })
  expect(turn.text).toContain('+export const page = 1')
  // As it was when it was seen: the mark is there again.
  writeFileSync(join(repository.folder, 'client.js'), 'export const page = 1')
  expect(await viewed()).toEqual(['client.js', 'other.js'])
  await mark('other.js', false)
  expect(await viewed()).toEqual(['client.js'])
})
