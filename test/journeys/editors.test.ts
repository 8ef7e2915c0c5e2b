/**
 * An editor with everything real: it starts `holdfast acp`, the server is killed in the middle of
 * a turn, and the editor notices nothing but a pause.
 */
import { realpathSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { initialize, startAcp } from '../support/acp-command.ts'
import { demos } from '../support/chat.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { amount } from '../support/extent.ts'
import { makeRepository } from '../support/git-repository.ts'
import { malformedFrames } from '../support/malformed-frames.ts'
import { startHoldfast } from '../support/running-server.ts'

const isChunk = (message: { method?: string; params?: { update?: { sessionUpdate?: string } } }) =>
  message.params?.update?.sessionUpdate === 'agent_message_chunk'

async function openFolder() {
  const first = await startHoldfast({ up: true })
  onTestFinished(async () => {
    await first.kill()
    await endCoordinator(first.data)
  })
  const client = createClient({ url: first.url, token: first.token })
  const folder = realpathSync(makeRepository().folder)
  const { id: projectId } = await client.post('/api/projects', {
    body: { name: 'opened', path: folder, settings: { 'chat.workplace': 'checkout' } },
  })
  const params = { projectId, agentId: 'talker' }
  const { args, ...talker } = demos.acp
  await client.post('/api/agents', {
    body: { id: 'talker', name: 'Talker', ...talker, args: [...args] },
  })
  await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })
  const again = () =>
    startHoldfast({ up: true, data: first.data, args: ['--port', new URL(first.url).port] })
  return { first, client, folder, again }
}

const promptOf = (key: string, text: string) => ({
  sessionId: key,
  prompt: [{ type: 'text', text }],
})

test('[EC8] the server is killed in mid-turn: the prompt is answered once, the text is that of the record', async () => {
  const { first, client, folder, again } = await openFolder()
  const editor = startAcp({ data: first.data })
  await initialize(editor)
  const { result } = await editor.call('session/new', { cwd: folder, mcpServers: [] })
  const { sessionId: key } = result
  // Nothing that is private to the tunnel reaches an editor.
  expect(JSON.stringify(editor.lines)).not.toContain('_meta')
  const answered = editor.call('session/prompt', promptOf(key, '[[slow 20 100]] once'))
  await editor.until(isChunk)
  await first.kill()
  const second = await again()
  expect((await answered).result).toMatchObject({ stopReason: 'end_turn' })
  // A permission that is open when the server is killed is shown once, and its answer kept.
  const asked = editor.call('session/prompt', promptOf(key, '[[ask]]'))
  const request = await editor.until(({ method }) => method === 'session/request_permission')
  await second.kill()
  const outcome = { outcome: 'selected', optionId: 'yes' }
  editor.answer(request.id, { outcome })
  const third = await again()
  expect((await asked).result).toMatchObject({ stopReason: 'end_turn' })
  const { items } = await client.get('/api/conversations/{key}/turns', {
    params: { key },
    query: {},
  })
  expect(items.map(({ state }) => state)).toEqual(['answered', 'answered'])
  const record = items.map(({ text }) => text).reverse()
  expect(editor.text(key)).toBe(record.join(''))
  const asks = editor.lines.filter(({ method }) => method === 'session/request_permission')
  expect(asks).toHaveLength(1)
  // A fork is another session, which can be prompted at once.
  const fork = await editor.call('session/fork', { sessionId: key, cwd: folder, mcpServers: [] })
  expect(fork.error?.message).toBeUndefined()
  const { sessionId: forked } = fork.result
  const inFork = await editor.call('session/prompt', promptOf(forked, 'in the fork'))
  expect(inFork.result).toMatchObject({ stopReason: 'end_turn' })
  expect(editor.text(forked)).toContain('in the fork')
  expect(await client.get('/api/conversations/{key}', { params: { key: forked } })).toMatchObject({
    forkedFrom: { key },
  })
  // Exits with its input, whatever runs.
  editor.child.stdin?.end()
  await editor.exited
  expect(editor.child.exitCode).toBe(0)
  await third.stop()
})

test('[EC8] who is killed in mid-turn ends no turn', async () => {
  const { first, client, folder } = await openFolder()
  const editor = startAcp({ data: first.data, args: ['--agent', 'talker'] })
  await initialize(editor)
  const { result } = await editor.call('session/new', { cwd: folder, mcpServers: [] })
  const { sessionId: key } = result
  void editor.call('session/prompt', promptOf(key, '[[slow 10 50]] on'))
  await editor.until(isChunk)
  await editor.kill()
  const wait = { params: { key }, query: {} }
  for (;;) {
    const [turn] = (await client.get('/api/conversations/{key}/turns', wait)).items
    if (turn?.state === 'running') continue
    expect(turn).toMatchObject({ state: 'answered' })
    expect(turn?.text).toContain('echo: on')
    return
  }
})

test('[EC7] [EC14] malformed lines end in words, and only messages come back', async () => {
  const { first, folder } = await openFolder()
  const editor = startAcp({ data: first.data })
  await initialize(editor)
  const cases = malformedFrames(amount(300, 5000)).filter((each) => !/[\n\r]/.test(each))
  let sent = 0
  for (const line of cases) {
    editor.send(line)
    // A few at a time: a flood is another test's subject.
    if (++sent % 20 > 0) continue
    const probe = await editor.call('session/list', { cwd: '/nowhere' })
    expect(probe.result).toEqual({ sessions: [] })
  }
  const { result, error: refused } = await editor.call('session/new', {
    cwd: folder,
    mcpServers: [],
  })
  expect(refused).toBeUndefined()
  expect(result.sessionId).toMatch(/^session:/)
  // startAcp parses each line that comes; what is refused is refused in a sentence.
  for (const { jsonrpc, error } of editor.lines) {
    expect(jsonrpc).toBe('2.0')
    if (error !== undefined) expect(error.message).toMatch(/^[^\n]+$/)
  }
  expect(editor.notes()).toBe('')
  editor.child.stdin?.end()
  await editor.exited
  expect(editor.child.exitCode).toBe(0)
}, 600_000)
