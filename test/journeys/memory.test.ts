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

/** Nobody has the conversation in mind any more: what is asked next is asked of another. */
async function asleep({ client, projectId }: Chat): Promise<void> {
  const live = async () =>
    (await client.get('/api/agent-sessions', { query: { projectId } })).items.some(({ state }) => state !== 'ended')
  await until(async () => !(await live()))
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

    const { pid } = await chat.process('running')
    process.kill(pid ?? 0, 'SIGKILL')
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

    const orphan = await chat.process('running')
    await holdfast.kill()
    process.kill(orphan.pid ?? 0, 'SIGKILL')
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
