/**
 * A real agent behind an editor (EC5): it asks for permission, the editor is killed with that open,
 * and the editor that comes back is asked again, allows it, and goes on. The whole product but for
 * the model, which follows a script.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { initialize, startAcp } from '../support/acp-command.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { promptOf } from '../support/editor-kills.ts'
import { startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

const asking = installedAgents().filter(({ recipe }) => recipe.asks)

test.each(asking)(
  '[EC5] $name: an editor is killed with a permission open, and the next one allows it',
  async ({ name, recipe, program }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const server = await startHoldfast({ up: true })
    onTestFinished(async () => {
      await server.kill()
      await endCoordinator(server.data)
    })
    const client = createClient({ url: server.url, token: server.token })
    const folder = realpathSync(temporaryFolder())
    const { id: projectId } = await client.post('/api/projects', {
      body: { name: 'opened', path: folder, settings: { 'chat.workplace': 'checkout' } },
    })
    const { command, args, env } = entryOf(
      program,
      recipe,
      join(temporaryFolder(), name),
      model.url,
    )
    const entry = { command, args: [...args], env: { ...env } }
    await client.post('/api/agents', { body: { id: 'real', name, protocol: 'acp', ...entry } })
    const params = { projectId, agentId: 'real' }
    await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })

    const editor = startAcp({ data: server.data })
    await initialize(editor)
    const opened = { cwd: folder, mcpServers: [] }
    const key = (await editor.call('session/new', opened)).result.sessionId as string
    const file = join(folder, 'made.txt')
    void editor.call('session/prompt', promptOf(key, `[[write ${file} by hand]] please`))
    await editor.until(({ method }) => method === 'session/request_permission')
    await editor.kill()

    const later = startAcp({ data: server.data })
    await initialize(later)
    const loaded = await later.call('session/load', { sessionId: key, ...opened })
    expect(loaded.error).toBeUndefined()
    const again = await later.until(({ method }) => method === 'session/request_permission')
    const { options } = again.params as { options: { optionId: string; kind: string }[] }
    const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId
    later.answer(again.id, { outcome: { outcome: 'selected', optionId } })
    const answer = await later.call('session/prompt', promptOf(key, '[[say and on]]'))
    expect(answer.result).toMatchObject({ stopReason: 'end_turn' })
    expect(readFileSync(file, 'utf8')).toContain('by hand')
    expect(later.text(key)).toContain('and on')
    const { items } = await client.get('/api/approvals', { query: {} })
    expect(items).toEqual([])
  },
)
