/**
 * A fresh worktree is made runnable before its agent starts (WT5): with a real coordinator, a real
 * repository and the demo agent.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createToken } from '../../src/services/access/change-access.ts'
import { ownerWho } from '../services/projects/installation.ts'
import { main } from '../support/built-product.ts'
import { startCoordinator } from '../support/coordinator.ts'
import { makeRepository } from '../support/git-repository.ts'
import { openConsole } from '../support/relay.ts'

test('[WT5] what the project names is copied and run in a fresh worktree; when it fails the agent does, with its output', async () => {
  const room = await openConsole({}, { 'permission.policy': 'allow_all' })
  const { server, projectId } = room
  const repository = makeRepository()
  repository.write('.env', 'SECRET=1\n')
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { path: repository.folder },
  })
  await server.ask('/api/agents/coder', {
    method: 'PATCH',
    body: { command: 'holdfast', args: ['demo-acp'] },
  })
  const setUp = (command: string[]) =>
    server.ask(`/api/projects/${projectId}/set-up`, {
      method: 'PUT',
      body: { command, copy: ['.env'] },
    })
  const { token } = await server.store.run(createToken, {
    name: 'm',
    kind: 'coordinator',
    by: ownerWho,
  })
  startCoordinator({ url: server.url, token }, { program: [process.execPath, main] })
  await expect.poll(async () => (await server.ask('/api/coordinators')).json.items.length).toBe(1)
  const client = await room.client()
  const inside = await room.created(client)

  await setUp([process.execPath, '-e', 'console.log("cannot find it"); process.exit(3)'])
  client.send({ type: 'agent:spawn', ...inside, role: 'first', agentId: 'coder' })
  const failed = await client.next('agent:failed')
  expect(failed).toMatchObject({ role: 'first', step: 'workspace' })
  expect(failed.error).toContain('cannot find it')

  await setUp([process.execPath, '-e', 'require("fs").writeFileSync("made.txt", "made")'])
  client.send({ type: 'agent:spawn', ...inside, role: 'second', agentId: 'coder' })
  const { workspace } = await client.next('agent:ready')
  expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('SECRET=1\n')
  expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toBe('made')
  expect(existsSync(join(repository.folder, 'made.txt'))).toBe(false)
  const { items } = (await server.ask(`/api/projects/${projectId}/worktrees`)).json
  const report = items.find(({ role }: { role: string }) => role === 'second').setUp
  expect(report).toMatchObject({ copied: ['.env'], outcome: 'done', exitCode: 0 })
})
