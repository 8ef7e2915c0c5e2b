/**
 * Another agent goes on in a session (SN21, SN22), with everything real: what was told to the first
 * is known to the second, across a killed server, and the other way round; a rewind over the change
 * brings files and talk back together.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { demos } from '../support/chat.ts'
import { endCoordinator, until } from '../support/coordinator-process.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'
import { startHoldfast } from '../support/running-server.ts'

const fact = 'The kettle is blue.'

test('[SN22] a fact is known to the next agent, after a kill in between, and what it said to the first; a rewind over the change takes both back', async () => {
  const { holdfast, repository, chat } = await openRepositoryChat()
  const { client, projectId, agentId: first } = chat
  const second = `${first}-next`
  const { args, ...talker } = demos.acp
  await client.post('/api/agents', {
    body: { id: second, name: 'Next', ...talker, args: [...args] },
  })
  const params = { projectId }
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { ...params, agentId: second },
    body: {},
  })
  const begun = { agentId: first, content: `${fact} [[write a.txt one]] noted` }
  const { key } = await client.post('/api/projects/{projectId}/conversations', {
    params,
    body: begun,
  })
  const at = { params: { key } }
  const turns = async () =>
    (await client.get('/api/conversations/{key}/turns', { ...at, query: {} })).items
  /** The newest turn, when it was answered. */
  const answered = async () => {
    await until(async () => {
      const [newest] = await turns()
      return newest?.state === 'answered'
    })
    const [newest] = await turns()
    return newest ?? expect.fail('no turn was answered')
  }
  const ask = async (content: string) => {
    const { length } = await turns()
    await client.post('/api/chat', { body: { projectId, conversationKey: key, content } })
    await until(async () => (await turns()).length > length)
    return answered()
  }
  const goOn = (agentId: string) =>
    client.post('/api/conversations/{key}/agent', { ...at, body: { agentId } })
  await answered()

  await goOn(second)
  await holdfast.kill()
  const again = await startHoldfast({
    up: true,
    data: holdfast.data,
    args: ['--port', new URL(holdfast.url).port],
  })
  onTestFinished(async () => {
    await again.kill()
    await endCoordinator(again.data)
  })
  expect(await ask('[[recall]]')).toMatchObject({
    agentId: second,
    text: expect.stringContaining(fact),
  })
  const wrote = await ask('The pot is green. [[write a.txt two]] noted')
  await goOn(first)
  const known = await ask('[[recall]]')
  expect(known).toMatchObject({ agentId: first, text: expect.stringContaining('green') })
  expect(known.text).toContain(fact)

  const { folder } = (await client.get('/api/conversations/{key}', at)).workplace ?? {}
  const file = () => readFileSync(join(folder ?? repository.folder, 'a.txt'), 'utf8')
  expect(file()).toBe('two')
  await client.post('/api/conversations/{key}/turns/{turnId}/rewind', {
    params: { key, turnId: wrote.id },
    body: { to: 'before' },
  })
  expect(file()).toBe('one')
  const fresh = await ask('[[recall]]')
  expect(fresh).toMatchObject({ agentId: first, text: expect.stringContaining(fact) })
  expect(fresh.text).not.toContain('green')
})
