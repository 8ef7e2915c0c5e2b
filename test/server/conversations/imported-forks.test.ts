/** Forks and archives of sessions that are taken in. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLineOf } from '../../support/command-line.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function copyOf(sample: string): string {
  const copy = join(temporaryFolder(), 'copy')
  cpSync(join(import.meta.dirname, '../../past-sessions/samples', sample), copy, {
    recursive: true,
  })
  return copy
}

test('[IM11] a fork names the turn that it was forked from, and what was archived there is here', async () => {
  const server = await openTestServer()
  const { holdfast } = await commandLineOf(server)
  const read = async (path: string) => (await server.ask(path)).json
  const take = (from: string, env: Record<string, string>) =>
    holdfast(['import', '--from', from, '--json'], { env: { HOME: temporaryFolder(), ...env } })
  await take('claude', { CLAUDE_CONFIG_DIR: copyOf('claude/config') })
  const taken: { id: string; key: string }[] = (await read('/api/imported-sessions?limit=100'))
    .items
  const origin = taken.find(({ id }) => id.startsWith('95591d8f'))?.key
  const keys = taken.map(({ key }) => key)
  const all = await Promise.all(keys.map((key) => read(`/api/conversations/${key}`)))
  const forks = all.filter(({ forkedFrom }) => forkedFrom !== undefined)
  expect(forks.map(({ forkedFrom }) => forkedFrom.key)).toEqual([origin])
  const { turnId } = forks[0].forkedFrom
  const { turn } = await read(`/api/conversations/${origin}/turns/${turnId}`)
  const own = (await read(`/api/conversations/${forks[0].key}/turns`)).items
  expect(own.map(({ content }: { content: unknown }) => content)).toContainEqual(turn.content)
  await take('codex', { CODEX_HOME: copyOf('codex/home') })
  const archive: { title: string }[] = (await read('/api/conversations?archived=true&limit=100'))
    .items
  expect(archive.map(({ title }) => title)).toEqual(['to be archived'])
})
