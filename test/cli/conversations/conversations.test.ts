/** `holdfast conversations` at the terminal and for programs (CV1). */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

const key = 'telegram:123456'
const path = (of: string, rest = '') => `/api/conversations/${encodeURIComponent(of)}${rest}`

test('[CV1] conversations are listed by channel, shown, and changed in every way', async () => {
  const { server, holdfast } = await openInstallation()
  const post = (where: string, body: unknown) => server.ask(where, { method: 'POST', body })
  expect((await holdfast(['conversations'])).stdout).toContain('No conversations.')
  for (const each of ['slack:C0123', key, 'slack:C9'])
    await post('/api/conversations', { key: each })
  for (let n = 0; n < 30; n++)
    await post(path(key, '/messages'), {
      role: n % 2 ? 'assistant' : 'user',
      content: `line ${n}\n\u001b[31mred`,
    })

  const listed = await holdfast(['conversations'])
  expect(listed.stdout).toMatch(
    /^CHANNEL +CONVERSATION +MESSAGES +LAST +SUMMARY\nslack .*\nslack .*\ntelegram +telegram:123456 +30 /,
  )
  const one = await holdfast(['conversations', 'list', '--channel', 'telegram', '--json'])
  expect(one.json()).toMatchObject({ items: [{ key, messageCount: 30 }], nextCursor: null })

  const shown = await holdfast(['conversations', 'show', key, '--limit', '3'])
  expect(shown.stdout).toMatch(/Messages +30\n/)
  expect(shown.stdout).toContain('… 27 messages before; --limit N shows them.')
  expect(shown.stdout).toContain('line 29')
  expect(shown.stdout).not.toContain('line 26')
  expect(shown.stdout).not.toContain('\u001b[31m')
  const asJson = (await holdfast(['conversations', 'show', key, '--json'])).json()
  expect(asJson.messages.map(({ content }: { content: string }) => content.split('\n')[0])).toEqual(
    Array.from({ length: 20 }, (_, n) => `line ${n + 10}`),
  )
  const today = new Date(server.clock.now()).toISOString().slice(0, 10)
  const day = await holdfast([
    'conversations',
    'show',
    key,
    '--day',
    today,
    '--limit',
    '100',
    '--json',
  ])
  expect(day.json().messages).toHaveLength(30)

  expect((await holdfast(['conversations', 'flags', key])).stdout).toBe('No flags are set.\n')
  const set = await holdfast([
    'conversations',
    'flags',
    key,
    '--set',
    'localOnly=true',
    '--set',
    'mine={"a":1}',
    '--set',
    'route=x',
  ])
  expect(set.stdout).toMatch(/localOnly +true\n +mine +\{"a":1\}\n +route +"x"/)
  const unset = await holdfast(['conversations', 'flags', key, '--unset', 'localOnly', '--json'])
  expect(unset.json()).toEqual({ mine: { a: 1 }, route: 'x' })
  expect(await holdfast(['conversations', 'flags', key, '--set', 'localOnly=maybe'])).toMatchObject(
    { code: 2 },
  )
  expect(await holdfast(['conversations', 'flags', key, '--set', 'alone'])).toMatchObject({
    code: 2,
  })

  expect((await holdfast(['conversations', 'summary', key])).stdout).toBe('There is no summary.\n')
  expect((await holdfast(['conversations', 'summary', key, 'They count lines'])).code).toBe(0)
  expect((await holdfast(['conversations', 'summary', key])).stdout).toBe('They count lines\n')
  expect((await holdfast(['conversations', 'truncate', key, '5'])).stdout).toContain(
    'handed 5 messages',
  )
  expect(await holdfast(['conversations', 'truncate', key, '-1'])).toMatchObject({ code: 2 })
  expect(await holdfast(['conversations', 'truncate', key, 'all'])).toMatchObject({ code: 2 })
  const saved = (await holdfast(['conversations', 'save', key, '--json'])).json()
  expect(existsSync(saved.path)).toBe(true)
  expect((await holdfast(['conversations', 'reset', key, '--json'])).json()).toMatchObject({
    messageCount: 0,
    summary: '',
    flags: { route: 'x' },
  })
  expect((await holdfast(['conversations', 'show', key])).stdout).toContain(
    'Nothing that agents would be handed.',
  )
})

test('[CV1] to delete one a person is asked first; without one --yes is needed', async () => {
  const { server, holdfast } = await openInstallation()
  await server.ask('/api/conversations', { method: 'POST', body: { key } })
  expect(await holdfast(['conversations', 'delete', key])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  const no = await holdfast(['conversations', 'delete', key], { terminal: true, input: 'n\n' })
  expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect((await server.ask(path(key))).status).toBe(200)
  expect((await holdfast(['conversations', 'delete', key, '--yes'])).stdout).toContain(
    `Deleted ${key}`,
  )
  expect((await server.ask(path(key))).status).toBe(404)
  expect(await holdfast(['conversations', 'show', key])).toMatchObject({ code: 5 })
  expect(await holdfast(['conversations', 'show', 'a/b:c'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('invalid_key'),
  })
})
