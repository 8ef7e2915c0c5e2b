/** `holdfast continue`: another agent goes on in a session (CL7). */
import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

async function openGame() {
  const installed = await openInstallation()
  const { holdfast, server } = installed
  const { id: projectId } = (await holdfast(['projects', 'create', 'game', '--json'])).json()
  for (const agent of ['ann', 'bob']) {
    await holdfast(['agents', 'add', agent, '--protocol', 'mcp'])
    await holdfast(['projects', 'assign', 'game', agent])
  }
  const path = `/api/projects/${projectId}/conversations`
  const body = { agentId: 'ann', content: 'Mend the gate' }
  const { key } = (await server.ask(path, { method: 'POST', body })).json
  return { ...installed, projectId, key }
}

test('[CL7] another agent goes on with what waits, and is told before what it reads', async () => {
  const { holdfast, key } = await openGame()
  const done = await holdfast(['continue', key, '--with', 'bob'])
  expect(done).toMatchObject({ code: 0 })
  expect(done.stdout).toContain(`bob goes on in ${key}`)
  expect(done.stderr).toContain('What waits goes to it: 1 message.')
  const listed = await holdfast(['sessions', '--agent', 'bob', '--json'])
  expect(listed.json().items).toMatchObject([{ key, agentId: 'bob' }])
  // Nothing runs, so there is nothing to stop.
  expect(await holdfast(['continue', key, '--with', 'ann', '--stop'])).toMatchObject({ code: 0 })
})

test("[CL7] an agent's first session goes on in another, which is named", async () => {
  const { holdfast, projectId } = await openGame()
  await holdfast(['chat', 'ann', '--message', 'Hello'])
  const first = `web:${projectId}.ann`
  const done = await holdfast(['continue', first, '--with', 'bob'])
  expect(done.stdout).toMatch(/bob goes on in session:[0-9a-z]{12}, in the same folder/)
  expect(done.stdout).toContain(`${first} stays as it is`)
})

test('[CL7] who cannot go on is refused in words, and nothing changes', async () => {
  const { holdfast, key } = await openGame()
  const refused = await holdfast(['continue', key, '--with', 'nobody'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('nobody')
  expect((await holdfast(['continue', 'session:none', '--with', 'bob'])).code).not.toBe(0)
  const listed = await holdfast(['sessions', '--agent', 'ann', '--json'])
  expect(listed.json().items).toMatchObject([{ key }])
})
