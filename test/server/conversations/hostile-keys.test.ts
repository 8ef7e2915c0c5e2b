/**
 * Hostile keys at every endpoint: refused before anything is written, or kept apart; never a file
 * outside of the folder (CV6).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createConversations } from '../../../src/library.ts'
import { openInstallation } from '../../support/command-line.ts'
import { keptApartKeys, refusedKeys } from '../../support/hostile-keys.ts'
import { picoclawSession, writePicoclaw } from '../../support/picoclaw.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Every key has a file of its own that says so, and names that no file system takes for one. */
function expectOneFileEach(folder: string, keys: readonly string[]): void {
  const names = readdirSync(folder).filter((name) => name !== '.mirror')
  const found = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  expect(found.map(({ key }) => key).sort()).toEqual([...keys].sort())
  for (const { key, messages } of found) expect(messages[0].content).toContain(key)
  expect(new Set(names.map((name) => name.normalize('NFKD').toLowerCase())).size).toBe(names.length)
  for (const name of names) expect(name).not.toMatch(/[/\\:<>"|?*]|^\./)
}

test('[CV6] in the library', async () => {
  const around = temporaryFolder()
  const data = join(around, 'mine')
  const conversations = await createConversations({ data })
  onTestFinished(() => conversations.close())
  for (const [what, key] of refusedKeys) {
    await expect(conversations.addMessage(key, 'user', 'x'), what).rejects.toMatchObject({
      code: 'invalid_key',
    })
    await expect(conversations.save(key), what).rejects.toMatchObject({ code: 'invalid_key' })
  }
  expect((await conversations.list()).items).toEqual([])
  for (const key of keptApartKeys) await conversations.addMessage(key, 'user', `in ${key}`)
  const paths = await Promise.all(keptApartKeys.map((key) => conversations.save(key)))
  expect(new Set(paths.map((path) => dirname(path ?? '')))).toEqual(
    new Set([join(data, 'conversations')]),
  )
  expectOneFileEach(join(data, 'conversations'), keptApartKeys)
  expect(readdirSync(around)).toEqual(['mine'])
})

test('[CV6] over HTTP, and from files', async () => {
  const { server, holdfast } = await openInstallation()
  const post = (path: string, body: unknown) => server.ask(path, { method: 'POST', body })
  for (const [what, key] of refusedKeys) {
    const { status, json } = await post('/api/conversations', { key })
    expect([status, json.code], what).toEqual([422, 'invalid_key'])
  }
  const folder = temporaryFolder()
  for (const [n, [, key]] of refusedKeys.entries())
    writePicoclaw(folder, `bad-${n}.json`, picoclawSession(key))
  const half = keptApartKeys.length >> 1
  for (const [n, key] of keptApartKeys.slice(half).entries())
    writePicoclaw(folder, `good-${n}.json`, picoclawSession(key))
  const imported = (await holdfast(['import', folder, '--json'])).json()
  expect(imported).toMatchObject({ created: keptApartKeys.length - half })
  expect(imported.skipped).toHaveLength(refusedKeys.length)

  for (const key of keptApartKeys.slice(0, half)) {
    await post('/api/conversations', { key })
    const sent = await post(`/api/conversations/${encodeURIComponent(key)}/messages`, {
      role: 'user',
      content: `in ${key}`,
    })
    expect(sent.status, key).toBe(201)
  }
  for (const key of keptApartKeys) {
    const { status, json } = await post(`/api/conversations/${encodeURIComponent(key)}/save`, {})
    expect([status, dirname(json.path ?? '')], key).toEqual([
      200,
      join(server.folder, 'conversations'),
    ])
  }
  expectOneFileEach(join(server.folder, 'conversations'), keptApartKeys)
  expect((await server.ask('/api/conversations?limit=200')).json.items).toHaveLength(
    keptApartKeys.length,
  )
})
