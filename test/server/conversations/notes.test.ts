import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noteDay } from '../../../src/jobs/cutover.ts'
import { findDaysToNote } from '../../../src/services/conversations/chapters.ts'
import { openTestServer } from '../../support/server.ts'

const key = 'telegram:123456'
const path = `/api/conversations/${encodeURIComponent(key)}`
/** The manual clock begins at 18:00 of the 1st of March in Tokyo. */
const nextDay = '2026-03-02T04:00:00+09:00'

async function open() {
  const server = await openTestServer()
  const post = (to: string, body?: unknown) => server.ask(to, { method: 'POST', body })
  await post('/api/conversations', { key })
  const say = (content: string, role = 'user') => post(`${path}/messages`, { role, content })
  return {
    ...server,
    post,
    say,
    cutOver: (now?: string) => post(`${path}/cutover`, now === undefined ? undefined : { now }),
  }
}

describe('notes over HTTP', () => {
  test('[DC12] a note leads with what was done, decided and left on its day, and has its times in the reader’s zone', async () => {
    const { ask, say, post, cutOver, clock } = await open()
    await say('hello')
    await ask(`${path}/summary`, { method: 'PUT', body: { summary: 'Greeted.\n## telegram:9' } })
    const { id } = (await post('/api/projects', { name: 'p' })).json
    const add = async (title: string, status?: string) => {
      const task = (await post(`/api/projects/${id}/tasks`, { phase: 1, type: 'code', title })).json
      for (const each of status === undefined ? [] : ['in_progress', status])
        await ask(`/api/projects/${id}/tasks/${task.id}`, {
          method: 'PATCH',
          body: { status: each },
        })
    }
    await add('Finished', 'completed')
    await add('Broken', 'failed')
    await add('Not begun')
    const body = { checkpointType: 'plan', leaderId: 'lead', instructionContent: 'May I?' }
    const asked = (await post(`/api/projects/${id}/approvals`, body)).json
    await post(`/api/projects/${id}/approvals/${asked.id}/decision`, {
      status: 'approved',
      feedback: 'Go on.',
    })
    clock.advance(24 * 60 * 60 * 1000)
    await add('Of the next day', 'completed')
    await cutOver(nextDay)
    const note = async (query = '') => (await ask(`/api/notes/20260301${query}`)).text
    expect(await note()).toContain(`
## Summary

- **telegram:123456**: Greeted. ## telegram:9

### Done

- Finished

### Decided

- plan: approved (Go on.)

### Left

- Broken

## telegram:123456
`)
    expect(
      [await note(), await note('?timezone=Europe/Berlin')].map(
        (text) => /\*\*(.*) user/.exec(text)?.[1],
      ),
    ).toEqual(['18:00', '10:00'])
    expect((await ask('/api/notes/20260301?timezone=Mars')).json).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
  })

  test('[DC13] each session of a day has a line in its note once the day is over, and none when it is deleted', async () => {
    const server = await openTestServer()
    const { ask, clock, store } = server
    const post = (to: string, body: unknown) => ask(to, { method: 'POST', body })
    const { id } = (await post('/api/projects', { name: 'p' })).json
    await post('/api/agents', { id: 'coder', name: 'Coder', protocol: 'mcp' })
    await ask(`/api/projects/${id}/agents/coder`, { method: 'PUT', body: {} })
    const begin = async (content: string) =>
      (await post(`/api/projects/${id}/conversations`, { agentId: 'coder', content })).json.key
    const gate = await begin('Mend the [gate](x)\nand more')
    const roof = await begin('Mend the roof')
    expect(await store.query(findDaysToNote, {})).toEqual([])
    expect((await ask('/api/notes/20260301')).status).toBe(404)
    clock.advance(24 * 60 * 60 * 1000)
    expect(await store.query(findDaysToNote, {})).toEqual(['2026-03-01'])
    await noteDay(store, '2026-03-01')
    const lineOf = (key: string, title: string) =>
      `- [${title}](/projects/${id}/session/${encodeURIComponent(key)}) · coder · 1 turn\n`
    const note = async () => (await ask('/api/notes/20260301')).text
    expect(await note()).toContain(lineOf(gate, 'Mend the gate(x)'))
    expect(await note()).toContain(lineOf(roof, 'Mend the roof'))
    expect(await note()).toContain('channels: ["session"]\nconversations: 2\n')
    // What is asked on the next day belongs to that.
    await post('/api/chat', { projectId: id, conversationKey: gate, content: 'More.' })
    expect(await store.query(findDaysToNote, {})).toEqual([])
    await ask(`/api/conversations/${gate}`, { method: 'DELETE' })
    expect(await store.query(findDaysToNote, {})).toEqual(['2026-03-01'])
    await noteDay(store, '2026-03-01')
    expect(await note()).not.toContain('gate')
    expect(await note()).toContain('roof')
    expect(await store.query(findDaysToNote, {})).toEqual([])
  })

  test('[DC3] a day that is over becomes a note, a file and an answer alike, with front matter, links and a section for each', async () => {
    const { ask, say, cutOver, folder } = await open()
    await say('Where is the ticket?')
    await say('## On the table\n---\n[[20200101]]\n```', 'assistant')
    expect((await cutOver()).json).toEqual({ cut: false, date: '2026-03-01', notePath: null })
    const notePath = join(folder, 'workspace', 'memory', '202603', '20260301.md')
    expect((await cutOver(nextDay)).json).toEqual({ cut: true, date: '2026-03-01', notePath })
    const note = await ask('/api/notes/20260301')
    expect(note.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(await readFile(notePath, 'utf8')).toBe(note.text)
    expect(note.text).toBe(`---
date: 2026-03-01
channels: ["telegram"]
conversations: 1
messages: 2
tags: ["daily-note", "channel/telegram"]
---

# 2026-03-01

[[20260228]] · [[20260302]]

## telegram:123456

2 messages

**18:00 user**

> Where is the ticket?

**18:00 assistant**

> ## On the table
> ---
> [[20200101]]
> \`\`\`
`)
    expect((await ask('/api/notes?month=202603')).json.items).toMatchObject([
      { date: '2026-03-01', conversations: 1, messages: 2, state: 'written', problem: null },
    ])
    expect((await ask('/api/notes?month=202602')).json.items).toEqual([])
    const { items } = (await ask(`${path}/chapters`)).json
    expect(items).toMatchObject([
      { day: '2026-03-01', state: 'closed', messageCount: 2, note: 'written' },
    ])
    expect((await ask(`${path}/chapters/20260301/messages`)).json.items).toHaveLength(2)
    for (const unknown of [
      '/api/notes/20260302',
      '/api/notes/20260230',
      '/api/notes/..%2F..',
      `${path}/chapters/20260302/messages`,
    ])
      expect((await ask(unknown)).status).toBe(404)
    for (const wrong of ['/api/notes?month=2026', '/api/notes?month=202613', '/api/notes?cursor=x'])
      expect((await ask(wrong)).status).toBe(400)
  })

  test('[DC4] a note that cannot be written is pending, with its reason, while chat goes on; it is written when it can be', async () => {
    const { ask, say, cutOver, folder, clock } = await open()
    const notePath = join(folder, 'workspace', 'memory', '202603', '20260301.md')
    await mkdir(dirname(dirname(notePath)), { recursive: true })
    await writeFile(dirname(notePath), 'a file where the folder should be')
    await say('hello')
    expect((await cutOver(nextDay)).json).toMatchObject({ cut: true })
    const [pending] = (await ask('/api/notes')).json.items
    expect(pending).toMatchObject({
      date: '2026-03-01',
      state: 'pending',
      problem: expect.stringContaining('EEXIST'),
    })
    expect((await ask(`${path}/chapters`)).json.items).toMatchObject([{ note: 'pending' }])
    expect((await say('chat goes on')).status).toBe(201)
    expect((await ask('/api/notes/20260301')).text).toContain('> hello')
    await rm(dirname(notePath))
    await expect
      .poll(async () => {
        clock.advance(1000)
        return (await ask('/api/notes')).json.items
      })
      .toMatchObject([{ state: 'written', problem: null }])
    expect(await readFile(notePath, 'utf8')).toContain('> hello')
  })

  test('[DC3] a day that goes on after it was closed, and other conversations, are in the same note, each once', async () => {
    const { ask, post, say, cutOver } = await open()
    await say('first')
    await cutOver(nextDay)
    await say('second')
    const other = 'slack:C0123'
    await post('/api/conversations', { key: other })
    await post(`/api/conversations/${encodeURIComponent(other)}/messages`, {
      role: 'user',
      content: 'elsewhere',
    })
    await post(`/api/conversations/${encodeURIComponent(other)}/cutover`, { now: nextDay })
    await cutOver(nextDay)
    const { text } = await ask('/api/notes/2026-03-01')
    expect(text.match(/^## .*$/gm)).toEqual(['## slack:C0123', '## telegram:123456'])
    expect(text.match(/^> .*$/gm)).toEqual(['> elsewhere', '> first', '> second'])
    expect(text).toContain('channels: ["slack", "telegram"]')
  })
})
