/** VS Code itself drives sessions over the Agent Host Protocol (AH). */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { EditorWindow, startCodeServer } from './code-server.ts'

async function open() {
  const holdfast = await startHoldfast({ up: true, onFile: true })
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const path = temporaryFolder()
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'p', path } })
  const agentId = 'echoes'
  const program = { protocol: 'acp' as const, command: 'holdfast', args: ['demo-acp'] }
  await client.post('/api/agents', { body: { id: agentId, name: 'Echoes', ...program } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
    body: {},
  })
  const { token } = await client.post('/api/tokens', { body: { name: 'vscode', kind: 'door' } })
  const port = Number(new URL(holdfast.url).port)
  return { holdfast, port, path, address: await startCodeServer(port, token) }
}

const startedAgain = ({ data }: RunningHoldfast, port: number): Promise<RunningHoldfast> =>
  startHoldfast({ up: true, onFile: true, data, args: ['--port', `${port}`] })

/** Waits until this is shown, once. */
const shows = (window: EditorWindow, text: RegExp): Promise<void> =>
  expect.poll(() => window.timesShown(text), { timeout: 60_000 }).toBe(1)

test('[AH5] VS Code prompts an agent and confirms what it asks for', async () => {
  const { path, address } = await open()
  const window = await EditorWindow.open(address, path)
  await window.choose('Echoes')
  await window.begin('Hello there')
  await shows(window, /echo: Hello there/)
  await window.say('please [[ask]]')
  await window.page.getByRole('button', { name: /^Allow/ }).click()
  await shows(window, /allowed/)
  await shows(window, /echo: please/)
})

test('[AH4] a turn goes on while the server is killed, and VS Code shows all of it, once', async () => {
  const { holdfast, port, path, address } = await open()
  const window = await EditorWindow.open(address, path)
  await window.choose('Echoes')
  await window.begin('count [[slow 40 300]]')
  await shows(window, /piece 5\b/)
  await holdfast.kill()
  await startedAgain(holdfast, port)
  await shows(window, /piece 40\b/)
  await shows(window, /echo: count/)
  await shows(window, /piece 5\b/)
})

test('[AH4] a confirmation stays open over the death of the server, and is given afterwards', async () => {
  const { holdfast, port, path, address } = await open()
  const window = await EditorWindow.open(address, path)
  await window.choose('Echoes')
  await window.begin('please [[ask]]')
  const allow = window.page.getByRole('button', { name: /^Allow/ })
  await allow.waitFor()
  await holdfast.kill()
  await startedAgain(holdfast, port)
  await allow.click()
  await shows(window, /allowed/)
})
