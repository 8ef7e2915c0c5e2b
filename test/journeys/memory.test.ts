/**
 * What an agent still knows (CX2, CX4), with everything real: it is told a fact, then its process is killed, sleeps, its panel is closed,
 * the server is killed. The next process is asked for all it was told. After a reset and a cutover it is not.
 */
import { expect, onTestFinished, test } from 'vitest'
import { type Chat, openChat } from '../support/chat.ts'
import { endCoordinator, until } from '../support/coordinator-process.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'

const fact = 'The kettle is blue.'

const conversationOf = ({ projectId, agentId }: Chat) => ({ params: { key: `web:${projectId}.${agentId}` } })

async function recalled(chat: Chat): Promise<string> {
  await chat.say('[[recall]]')
  return chat.answer()
}

const awake = async ({ client, projectId }: Chat) =>
  (await client.get('/api/agent-sessions', { query: { projectId } })).items.filter(({ state }) => state !== 'ended')

/** Nobody has the conversation in mind any more: what is asked next is asked of another. */
const asleep = (chat: Chat): Promise<void> => until(async () => (await awake(chat)).length === 0)

/** Who has just answered. One that was told to go may stay as a process, and come back to answer before the one started after it. */
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

test.each(['acp', 'mcp'] as const)(
  '[CX2] [CX4] a fact is known after a kill, a sleep, a closed panel and a killed server (%s); after a reset and a cutover it is not',
  async (demo) => {
    let holdfast: RunningHoldfast = await startHoldfast({ up: true })
    onTestFinished(async () => {
      await holdfast.kill()
      await endCoordinator(holdfast.data)
    })
    const chat = await openChat(holdfast, undefined, demo)
    const { client, projectId, agentId } = chat
    await chat.say(fact)
    expect(await chat.answer()).toBe(`echo: ${fact}`)

    process.kill(await pidOfAwake(chat), 'SIGKILL')
    await asleep(chat)
    expect(await recalled(chat)).toContain(fact)

    const soon = { 'chat.soft_timeout_minutes': 0.05, 'chat.hard_timeout_minutes': 0.1 }
    const settings = (await client.get('/api/projects/{projectId}', { params: { projectId } })).settings
    await client.patch('/api/projects/{projectId}', { params: { projectId }, body: { settings: soon } })
    await asleep(chat)
    await client.patch('/api/projects/{projectId}', { params: { projectId }, body: { settings } })
    expect(await recalled(chat)).toContain(fact)

    await client.post('/api/projects/{projectId}/agents/{agentId}/chat/end', { params: { projectId, agentId }, query: {} })
    await asleep(chat)
    expect(await recalled(chat)).toContain(fact)

    const orphan = await pidOfAwake(chat)
    await holdfast.kill()
    process.kill(orphan, 'SIGKILL')
    holdfast = await startHoldfast({ up: true, data: holdfast.data, args: ['--port', new URL(holdfast.url).port] })
    const later = await openChat(holdfast, chat)
    await asleep(later)
    await later.say('[[recall]]')
    expect(await chat.answer()).toContain(fact)

    // The same process, or the next: neither knows what is over.
    await client.post('/api/conversations/{key}/reset', conversationOf(chat))
    expect(await recalled(chat)).not.toContain('kettle')
    await chat.say('The pot is green.')
    await chat.answer()
    await client.put('/api/conversations/{key}/summary', {
      ...conversationOf(chat),
      body: { summary: 'It was about a pot, which has a colour.' },
    })
    const now = new Date(Date.now() + 86_400_000).toISOString()
    const { cut } = await client.post('/api/conversations/{key}/cutover', { ...conversationOf(chat), body: { now } })
    expect(cut).toBe(true)
    const fresh = await recalled(chat)
    expect(fresh).toContain('It was about a pot')
    expect(fresh).not.toMatch(/kettle|green/)
  },
)
