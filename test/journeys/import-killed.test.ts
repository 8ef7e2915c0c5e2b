/** An import that is killed while it takes sessions in, and begun again (IM6). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../support/built-product.ts'
import { amount } from '../support/extent.ts'
import { openTestServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const samples = join(import.meta.dirname, '../past-sessions/samples/claude/config')
const countOfSamples = 12

async function room() {
  const server = await openTestServer()
  const config = join(temporaryFolder(), 'config')
  cpSync(samples, config, { recursive: true })
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: config,
    HOLDFAST_URL: `http://127.0.0.1:${server.port}`,
    HOLDFAST_TOKEN: server.ownerToken,
  }
  const begin = () => spawn(process.execPath, [main, 'import', '--from', 'claude'], { env })
  return { server, begin }
}

const taken = async (server: TestServer): Promise<{ id: string; key: string }[]> =>
  (await server.ask('/api/imported-sessions?limit=100')).json.items

/** What was asked and answered in each session, by its own id. */
async function recordOf(server: TestServer): Promise<Record<string, unknown>> {
  const record: Record<string, unknown> = {}
  for (const { id, key } of await taken(server)) {
    const { items } = (await server.ask(`/api/conversations/${key}/turns?items=true&limit=200`))
      .json
    record[id] = items.map(({ content, text, state }: Record<string, unknown>) => [
      content,
      text,
      state,
    ])
  }
  return record
}

test('[IM6] an import that was killed anywhere and begun again has each turn once', async () => {
  const whole = await room()
  await once(whole.begin(), 'exit')
  const wanted = await recordOf(whole.server)
  expect(Object.keys(wanted)).toHaveLength(countOfSamples)
  for (let n = 0; n < amount(1, 20); n++) {
    const { server, begin } = await room()
    const killed = begin()
    const gone = once(killed, 'exit')
    const enough = 1 + Math.floor(Math.random() * (countOfSamples - 1))
    while ((await taken(server)).length < enough && killed.exitCode === null);
    killed.kill('SIGKILL')
    await gone
    const [code] = await once(begin(), 'exit')
    expect(code).toBe(0)
    expect(await recordOf(server)).toEqual(wanted)
  }
}, 600_000)
