/**
 * Codex as it pulls its work (`codex exec`): it calls our tools without asking anybody, `logout`
 * too, which it once refused (MC2).
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codex } from '../../src/protocol/agents/known/codex.ts'
import { clientOf, openHouse } from '../support/person.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

/** Codex itself lies beside its adapter. */
const withProgram = installedAgents()
  .map((agent) => ({ ...agent, own: join(dirname(agent.program), 'codex') }))
  .filter(({ name, own }) => name === 'codex' && existsSync(own))

if (withProgram.length === 0)
  test('[MC2] codex is not installed here and was not tried', () => {
    expect(withProgram).toEqual([])
  })

test.each(withProgram)(
  '[MC2] $name exec calls our tools, and is let to end its session',
  async ({ recipe, own }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const house = await openHouse()
    onTestFinished(house.end)
    const client = clientOf(house)
    const { command, env } = entryOf(own, recipe, join(temporaryFolder(), 'codex'), model.url)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
    const who = '{"agent_id":"${HOLDFAST_AGENT_ID}","project_id":"${HOLDFAST_PROJECT_ID}"}'
    const prompt = `[[tool authenticate ${who}]] [[tool get_history {}]] [[tool logout {}]] in order`
    const args = [...(codex.pulls?.args.slice(0, -1) ?? []), prompt]
    await client.post('/api/agents', {
      body: { id: 'puller', name: 'puller', protocol: 'mcp', command, args, env: { ...env } },
    })
    const params = { projectId: house.projectId, agentId: 'puller' }
    await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })
    await client.post('/api/chat', {
      body: { projectId: house.projectId, toAgentId: 'puller', content: 'hello' },
    })
    const textsSent = () => model.sent.map(({ text }) => text).join('\n')
    await expect
      .poll(() => /status\\*":\s*\\*"ended/.test(textsSent()), { timeout: 60_000, interval: 200 })
      .toBe(true)
    expect(textsSent()).not.toMatch(/user cancelled|user rejected|not approved/i)
  },
)
