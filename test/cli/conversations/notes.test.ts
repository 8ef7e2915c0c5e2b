import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

test('[DC3] [DC4] [CL1] notes lists, prints one, draws a month, names the pending', async () => {
  const { holdfast, server } = await openInstallation()
  expect((await holdfast(['notes'])).stdout).toBe(
    'No notes. A day of conversation becomes one when it is over.\n',
  )
  const key = encodeURIComponent('telegram:1')
  await server.ask('/api/conversations', { method: 'POST', body: { key: 'telegram:1' } })
  const sayAndCut = async (content: string, now: string): Promise<void> => {
    await server.ask(`/api/conversations/${key}/messages`, {
      method: 'POST',
      body: { role: 'user', content },
    })
    await server.ask(`/api/conversations/${key}/cutover`, { method: 'POST', body: { now } })
  }
  await sayAndCut('good \u001b[31mmorning', '2026-03-02T04:00:00+09:00')
  const march = join(server.folder, 'workspace', 'memory', '202603')
  await mkdir(join(march, '20260302.md'))
  await writeFile(join(march, '20260302.md', 'in-the-way'), '')
  server.clock.advance(24 * 3_600_000)
  await sayAndCut('again', '2026-03-03T04:00:00+09:00')

  const listed = await holdfast(['notes'])
  expect(listed.stdout).toMatch(
    /^DAY {9}CONVERSATIONS {2}MESSAGES {2}FILE\n2026-03-02 +1 +1 +pending\n2026-03-01 +1 +1 +written\n$/,
  )
  expect(listed.stderr).toMatch(
    /The note of 2026-03-02 is pending: .*It is tried again; nothing is lost\./,
  )
  expect((await holdfast(['notes', 'list', '--month', '2026-02', '--json'])).json()).toEqual({
    items: [],
    nextCursor: null,
  })
  const shown = await holdfast(['notes', 'show', '2026-03-01'])
  expect(shown.stdout).toContain(
    '## telegram:1\n\n1 message\n\n**18:00 user**\n\n> good \ufffd[31mmorning\n',
  )
  expect((await holdfast(['notes', 'show', '20260301', '--json'])).json()).toMatchObject({
    date: '2026-03-01',
    messages: 1,
    state: 'written',
    text: expect.stringContaining('# 2026-03-01'),
  })
  expect((await holdfast(['notes', 'calendar', '2026-03'])).stdout).toBe(
    `        March 2026
Mo  Tu  We  Th  Fr  Sa  Su
                         1•
 2!  3   4   5   6   7   8
 9  10  11  12  13  14  15
16  17  18  19  20  21  22
23  24  25  26  27  28  29
30  31

2 notes (•), 2 messages; ! is not in its file yet
`,
  )
  expect(await holdfast(['notes', 'show', '2026-03-09'])).toMatchObject({ code: 5 })
  expect(await holdfast(['notes', 'show', 'tomorrow'])).toMatchObject({ code: 2 })
  expect(await holdfast(['notes', 'calendar', '2026-13'])).toMatchObject({ code: 2 })
  const checked = await holdfast(['doctor', '--json'])
  expect(checked.json().checks).toContainEqual(
    expect.objectContaining({
      name: 'Notes',
      state: 'warning',
      detail: expect.stringContaining('2026-03-02'),
    }),
  )
})

test('[DC1] [CL1] cutover shows when a day begins, changes it, names what is wrong', async () => {
  const { holdfast } = await openInstallation()
  expect((await holdfast(['cutover'])).stdout).toMatch(
    /^A new day of conversation begins at 04:00 Asia\/Tokyo \(nobody has chosen/,
  )
  const changed = await holdfast(['cutover', '--hour', '5', '--timezone', 'Europe/Berlin'])
  expect(changed.stdout).toBe(
    'A new day of conversation begins at 05:00 Europe/Berlin (chosen here).\n',
  )
  expect((await holdfast(['cutover', '--hour', 'off', '--json'])).json()).toEqual({
    hour: 'off',
    timezone: 'Europe/Berlin',
    source: 'chosen',
  })
  expect((await holdfast(['cutover'])).stdout).toBe(
    'Days of conversation are not closed (chosen here).\n',
  )
  for (const wrong of [
    ['--hour', '24'],
    ['--hour', 'noon'],
    ['--timezone', 'Mars/Olympus'],
  ])
    expect((await holdfast(['cutover', ...wrong])).code).toBe(2)
})
