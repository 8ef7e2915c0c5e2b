/**
 * A real agent that is killed in the middle of its work and resumed (RS2): it is started in the
 * same worktree, finds there what it had written, and its model is told what failed before. The
 * whole product but for the model, which follows a script.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/services/access/change-access.ts'
import { ownerWho } from '../services/projects/installation.ts'
import { main } from '../support/built-product.ts'
import { startCoordinator } from '../support/coordinator.ts'
import { makeRepository } from '../support/git-repository.ts'
import { openConsole } from '../support/relay.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

const patienceMs = 150_000
const polling = { timeout: patienceMs, interval: 200 }

test.each(installedAgents())(
  '[RS2] $name: a killed and resumed agent is told what failed and goes on in the same worktree',
  async ({ name, recipe, program }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const room = await openConsole({}, { 'permission.policy': 'allow_all' })
    const { server, projectId } = room
    await server.ask(`/api/projects/${projectId}`, {
      method: 'PATCH',
      body: { path: makeRepository().folder },
    })
    const { command, args, env } = entryOf(
      program,
      recipe,
      join(temporaryFolder(), name),
      model.url,
    )
    await server.ask('/api/agents/coder', { method: 'PATCH', body: { command, args, env } })
    const { token } = await server.store.run(createToken, {
      name: 'm',
      kind: 'coordinator',
      by: ownerWho,
    })
    startCoordinator({ url: server.url, token }, { program: [process.execPath, main] })
    await expect
      .poll(async () => (await server.ask('/api/coordinators')).json.items.length, polling)
      .toBe(1)

    const client = await room.client()
    const inside = await room.created(client)
    const say = (content: string) =>
      client.send({ type: 'agent:message', ...inside, role: 'auth', content })
    client.send({ type: 'agent:spawn', ...inside, role: 'auth', agentId: 'coder' })
    const { workspace } = await client.next('agent:ready')
    say(`[[write ${join(workspace, 'plan.txt')} half done]] please`)
    await client.next('agent:response')
    const [work] = (await server.ask(`/api/projects/${projectId}/sessions`)).json.items
    const place = `/api/projects/${projectId}/sessions/${work.id}`
    const body = { kind: 'failed', category: 'jump', description: 'Set velocity.y' }
    await server.ask(`${place}/approaches`, { method: 'POST', body })

    say('count [[slow 2000 50]]')
    await client.next('agent:update')
    const { items } = (await server.ask('/api/processes?state=running')).json
    process.kill(items[0].pid, 'SIGKILL')
    await client.next('agent:failed')

    const heardBefore = model.heard.length
    const resumed = await server.ask(`${place}/resume`, { method: 'POST' })
    expect([resumed.status, resumed.json.notRestored]).toEqual([201, []])
    expect(await client.next('agent:ready')).toMatchObject({ workspace })
    expect(readFileSync(join(workspace, 'plan.txt'), 'utf8')).toContain('half done')
    expect((await client.next('agent:prompted')).content[0].text).toContain(
      'approach_f001: Set velocity.y',
    )
    await client.next('agent:response')
    // Some ask their model for more behind an answer, such as what the person might say next.
    expect(model.heard.slice(heardBefore).join('\n'), 'what its model was told').toContain(
      'Set velocity.y',
    )
    say(`[[write ${join(workspace, 'rest.txt')} whole]] please`)
    await client.next('agent:response')
    expect(readFileSync(join(workspace, 'rest.txt'), 'utf8')).toContain('whole')
  },
)
