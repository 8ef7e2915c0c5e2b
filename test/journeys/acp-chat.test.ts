/**
 * The chat of an ACP agent, with everything real: the server is killed in the middle of an answer,
 * the agent is not.
 */
import { expect, onTestFinished, test } from 'vitest'
import { demos, openChat } from '../support/chat.ts'
import { endCoordinator, until } from '../support/coordinator-process.ts'
import { startHoldfast } from '../support/running-server.ts'
import { isRunning } from '../support/script-process.ts'

test('[CH12] an agent that is spoken to answers in the chat, and goes on when the server is killed in the middle of its answer', async () => {
  const first = await startHoldfast({ up: true })
  onTestFinished(async () => {
    await first.kill()
    await endCoordinator(first.data)
  })
  const chat = await openChat(first, undefined, demos.acp)
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  const { pid } = await chat.process('running')
  await chat.say('[[slow 20 100]] once')
  await until(
    async () => (await chat.client.get('/api/agent-sessions', { query: {} })).items.length > 0,
  )
  await first.kill()
  const second = await startHoldfast({
    up: true,
    data: first.data,
    args: ['--port', new URL(first.url).port],
  })
  expect(await chat.answer()).toContain('echo: once')
  const later = await openChat(second, chat)
  expect((await later.process('running')).pid).toBe(pid)
  await later.say('again')
  expect(await chat.answer()).toBe('echo: again')
  expect(chat.answers).toHaveLength(3)
  expect(await second.stop()).toBe(0)
  expect(isRunning(pid ?? 0)).toBe(false)
})
