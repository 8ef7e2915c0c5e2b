/**
 * What an agent is told once and must know later (CX2, CX4), with everything real: its process is
 * killed, sleeps, its panel is closed, the server is killed. Each time a new one is asked, and the
 * caller says what it was told. After a reset and a cutover it is not.
 */
import { expect, onTestFinished } from 'vitest'
import { type Chat, openChat, type Talker } from './chat.ts'
import { endCoordinator, until } from './coordinator-process.ts'
import { type RunningHoldfast, startHoldfast } from './running-server.ts'

const fact = 'The kettle is blue.'

/** Asks it something; everything that it was told before it answered. */
export type Recall = (chat: Chat) => Promise<string>

const awake = async ({ client, projectId }: Chat) =>
  (await client.get('/api/agent-sessions', { query: { projectId } })).items.filter(
    ({ state }) => state !== 'ended',
  )

/** Nobody has the conversation in mind any more: what is asked next is asked of another. */
const asleep = (chat: Chat): Promise<void> => until(async () => (await awake(chat)).length === 0)

/**
 * Who has just answered. One that was told to go may stay as a process, and come back to answer
 * before the one started after it.
 */
async function pidOfAwake(chat: Chat): Promise<number> {
  const [holder] = await awake(chat)
  let pid: number | null | undefined
  // What its coordinator says of it may come later than its answer.
  await until(async () => {
    pid = (await chat.processes()).find(({ launchId }) => launchId === holder?.launchId)?.pid
    return pid != null
  })
  return pid as number
}

export async function keepsInMind(talker: Talker, recall: Recall): Promise<void> {
  let holdfast: RunningHoldfast = await startHoldfast({ up: true })
  onTestFinished(async () => {
    await holdfast.kill()
    await endCoordinator(holdfast.data)
  })
  const chat = await openChat(holdfast, undefined, talker)
  const { client, projectId, agentId } = chat
  const conversation = { params: { key: `web:${projectId}.${agentId}` } }
  await chat.say(fact)
  await chat.answer()

  process.kill(await pidOfAwake(chat), 'SIGKILL')
  await asleep(chat)
  expect(await recall(chat), 'after a kill').toContain(fact)

  const soon = { 'chat.soft_timeout_minutes': 0.05, 'chat.hard_timeout_minutes': 0.1 }
  const { settings } = await client.get('/api/projects/{projectId}', { params: { projectId } })
  await client.patch('/api/projects/{projectId}', {
    params: { projectId },
    body: { settings: soon },
  })
  await asleep(chat)
  await client.patch('/api/projects/{projectId}', { params: { projectId }, body: { settings } })
  expect(await recall(chat), 'after a sleep').toContain(fact)

  await client.post('/api/projects/{projectId}/agents/{agentId}/chat/end', {
    params: { projectId, agentId },
    query: {},
  })
  await asleep(chat)
  expect(await recall(chat), 'after its panel was closed').toContain(fact)

  const orphan = await pidOfAwake(chat)
  await holdfast.kill()
  process.kill(orphan, 'SIGKILL')
  holdfast = await startHoldfast({
    up: true,
    data: holdfast.data,
    args: ['--port', new URL(holdfast.url).port],
  })
  await asleep(await openChat(holdfast, chat))
  expect(await recall(chat), 'after a restart of the server').toContain(fact)

  // The same process, or the next: neither knows what is over.
  await client.post('/api/conversations/{key}/reset', conversation)
  expect(await recall(chat), 'after a reset').not.toContain('kettle')
  await chat.say('The pot is green.')
  await chat.answer()
  await client.put('/api/conversations/{key}/summary', {
    ...conversation,
    body: { summary: 'It was about a pot, which has a colour.' },
  })
  const now = new Date(Date.now() + 86_400_000).toISOString()
  const { cut } = await client.post('/api/conversations/{key}/cutover', {
    ...conversation,
    body: { now },
  })
  expect(cut).toBe(true)
  const fresh = await recall(chat)
  expect(fresh, 'after a cutover').toContain('It was about a pot')
  expect(fresh, 'after a cutover').not.toMatch(/kettle|green/)
}
