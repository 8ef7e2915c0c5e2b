/** `holdfast import --from --list`: sessions in agents' own files, without a server. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const samples = join(import.meta.dirname, '../../past-sessions/samples')

/** The folders of all agents, as a person's environment names them. */
const env = {
  HOME: temporaryFolder(),
  CLAUDE_CONFIG_DIR: join(samples, 'claude/config'),
  CODEX_HOME: join(samples, 'codex/home'),
  GEMINI_CLI_HOME: join(samples, 'gemini/home'),
  PI_CODING_AGENT_DIR: join(samples, 'pi/agent'),
  COPILOT_HOME: join(samples, 'copilot/home'),
}

interface ListedRow {
  readonly agent: string
  readonly id: string
  readonly title: string
}

test('[IM4] lists the sessions of all agents without a server, the newest first', async () => {
  const ran = await runCommand(['import', '--from', 'all', '--list', '--json'], { env })
  expect(ran.code).toBe(0)
  const { items, skipped } = ran.json() as { items: ListedRow[]; skipped: unknown[] }
  expect(skipped).toEqual([])
  expect(items).toHaveLength(55)
  expect(items[0]).toEqual({
    agent: 'gemini',
    id: 'dc539013-dc4f-4fac-8117-2fcee1135996',
    title: 'first words of a long talk',
    folder: join('/home', 'ada/shop'),
    updatedAt: '2026-11-18T19:49:01.615Z',
  })
})

test('[IM4] lists those of one agent, by id, by folder and by date', async () => {
  const list = async (...args: string[]): Promise<string[]> => {
    const ran = await runCommand(['import', '--from', 'claude', '--list', '--json', ...args], {
      env,
    })
    expect(ran.code).toBe(0)
    return (ran.json() as { items: ListedRow[] }).items.map(({ id }) => id.slice(0, 8))
  }
  expect(await list()).toHaveLength(12)
  expect(await list('--session', 'de67ba91-1fd1-42f9-9ab6-feeffe65f6fb')).toEqual(['de67ba91'])
  expect(await list('--folder', join('/home', 'ada'))).toHaveLength(12)
  expect(await list('--folder', join('/home', 'ada/sho'))).toEqual([])
  expect(await list('--since', '2026-11-18T19:39:30Z')).toEqual([
    '432daef7',
    '330f0d40',
    'de67ba91',
  ])
})

test('[IM4] names what is skipped with the reason, and still ends well', async () => {
  const damaged = { ...env, PI_CODING_AGENT_DIR: join(samples, 'damaged/pi/agent') }
  const args = ['import', '--from', 'pi', '--list']
  const ran = await runCommand([...args, '--json'], { env: damaged })
  expect(ran.code).toBe(0)
  const { items, skipped } = ran.json() as {
    items: ListedRow[]
    skipped: { file: string; reason: string }[]
  }
  expect(items).toHaveLength(5)
  expect(skipped.map(({ reason }) => reason)).toContain('it is empty')
  const shown = await runCommand(args, { env: damaged })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain('合言葉は')
  expect(shown.stderr).toContain('it was written by a newer version, in the format 9')
})

test('[IM4] says which agents there are, and what a time looks like', async () => {
  expect((await runCommand(['import'], { env })).code).toBe(2)
  expect((await runCommand(['import', '--from', 'hologram', '--list'], { env })).code).toBe(2)
  const ran = await runCommand(['import', '--from', 'pi', '--list', '--since', 'spring'], { env })
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain('30d')
})
