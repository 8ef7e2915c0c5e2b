/** `holdfast sessions`: what people have with agents, and the earlier commands about work. */
import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

test('[CL6] sessions are listed with how they stand, archived, and shown', async () => {
  const { holdfast, server } = await openInstallation()
  const { id: projectId } = (await holdfast(['projects', 'create', 'game', '--json'])).json()
  for (const agent of ['ann', 'bob']) {
    await holdfast(['agents', 'add', agent, '--protocol', 'mcp'])
    await holdfast(['projects', 'assign', 'game', agent])
  }
  expect((await holdfast(['sessions'])).stdout).toContain('No sessions.')
  const begin = async (agentId: string, content: string): Promise<string> => {
    const path = `/api/projects/${projectId}/conversations`
    const begun = await server.ask(path, { method: 'POST', body: { agentId, content } })
    return begun.json.key
  }
  const gate = await begin('ann', 'Mend the gate')
  server.clock.advance(1000)
  const roof = await begin('bob', 'Mend the roof')
  const listed = await holdfast(['sessions', '--project', 'game'])
  expect(listed.stdout).toMatch(
    new RegExp(`${roof} +starting +bob .*Mend the roof\\n${gate} +starting +ann .*Mend the gate`),
  )
  const ofAnn = await holdfast(['sessions', 'list', '--agent', 'ann', '--json'])
  expect(ofAnn.json().items).toMatchObject([{ key: gate, title: 'Mend the gate' }])
  expect((await holdfast(['sessions', 'archive', gate])).stdout).toContain('is archived')
  expect((await holdfast(['sessions', '--json'])).json().items).toMatchObject([{ key: roof }])
  expect((await holdfast(['sessions', '--archived'])).stdout).toContain(gate)
  await holdfast(['sessions', 'restore', gate])
  expect((await holdfast(['sessions', '--json'])).json().items).toHaveLength(2)
  expect((await holdfast(['sessions', 'show', gate])).stdout).toContain('Mend the gate')
})

test('[CL6] commands about work sessions do what they did, and name the new one', async () => {
  const { holdfast, server } = await openInstallation()
  const { id: projectId } = (await holdfast(['projects', 'create', 'game', '--json'])).json()
  const post = async () =>
    (await server.ask(`/api/projects/${projectId}/sessions`, { method: 'POST', body: {} })).json.id
  const id = await post()
  for (const [name, answer] of [
    ['show', id],
    ['checkpoint', 'Saved in'],
    ['end', 'is completed'],
  ]) {
    const done = await holdfast(['sessions', name ?? '', id])
    expect(done.stdout).toContain(answer)
    expect(done.stderr).toContain(`holdfast work ${name} ${id}`)
  }
  const interrupted = await post()
  await holdfast(['work', 'end', interrupted, '--reason', 'lunch'])
  const dismissed = await holdfast(['sessions', 'dismiss', interrupted])
  expect(dismissed.stdout).toContain('is dismissed')
  expect(dismissed.stderr).toContain('holdfast work dismiss')
  expect(await holdfast(['sessions', 'end', 'session:none'])).toMatchObject({ code: 2 })
})

test('[SL6] a session in a folder of somebody’s is closed without a question', async () => {
  const { holdfast, server } = await openInstallation()
  const { id: projectId } = (await holdfast(['projects', 'create', 'game', '--json'])).json()
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp'])
  await holdfast(['projects', 'assign', 'game', 'ann'])
  const path = `/api/projects/${projectId}/conversations`
  const begun = await server.ask(path, { method: 'POST', body: { agentId: 'ann', title: 'Later' } })
  const { key } = begun.json
  expect((await holdfast(['sessions', 'close', key])).stdout).toContain(`${key} is closed`)
  expect((await holdfast(['sessions', '--json'])).json().items).toMatchObject([
    { key, state: 'closed' },
  ])
})
