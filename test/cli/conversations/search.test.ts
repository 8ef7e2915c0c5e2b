import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

test('[DC5] [CL1] search finds what was said, newest first, marks and places it', async () => {
  const { holdfast, server } = await openInstallation()
  const say = async (key: string, content: string): Promise<void> => {
    server.clock.advance(1000)
    await server.ask('/api/conversations', { method: 'POST', body: { key } })
    const body = { role: 'user', content }
    await server.ask(`/api/conversations/${encodeURIComponent(key)}/messages`, {
      method: 'POST',
      body,
    })
  }
  await say('telegram:1', '本日の承認待ちは三件です')
  await say(
    'slack:C1',
    `${'long '.repeat(100)}the\nready to merge \u001b[31mbranch ${'tail '.repeat(100)}`,
  )
  await say('telegram:1', '承認しました')
  const found = await holdfast(['search', '承認'])
  expect(found.stdout).toMatch(
    /^telegram:1 #3 · user · .*\n {2}承認しました\n\ntelegram:1 #2 · user · .*\n {2}本日の承認待ちは三件です\n$/,
  )
  const coloured = await holdfast(['search', '承認', '--limit', '1'], { env: { FORCE_COLOR: '1' } })
  expect(coloured.stdout).toContain('\u001b[33m承認')
  expect(coloured.stderr).toContain('There are more')
  const long = await holdfast(['search', 'ready', 'to', 'merge'])
  expect(long.stdout).toMatch(/\n {2}….*the ready to merge \\u001b\[31mbranch .*…\n$/)
  expect((await holdfast(['search', '"merge ready"'])).stdout).toBe('Nothing was found.\n')
  const { items } = (
    await holdfast(['search', '承認', '--conversation', 'telegram:1', '--json'])
  ).json()
  expect(items).toMatchObject([
    { seq: 3, excerpt: '承認しました', highlights: [{ start: 0, end: 2 }] },
    { seq: 2 },
  ])
  expect((await holdfast(['search', '承認', '--channel', 'slack', '--json'])).json().items).toEqual(
    [],
  )
  expect(
    (await holdfast(['search', '承認', '--from', '2026-03-02', '--json'])).json().items,
  ).toEqual([])
  expect(
    (await holdfast(['search', '承認', '--to', '2026-03-01', '--json'])).json().items,
  ).toHaveLength(2)
  expect(await holdfast(['search'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing to search for'),
  })
  expect(await holdfast(['search', '...'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('something to search for'),
  })
  expect((await holdfast(['search', 'x', '--from', 'yesterday'])).code).toBe(2)
})
