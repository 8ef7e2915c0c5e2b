/**
 * Kills an editor's command, its server, or both, at moments drawn anew, and compares what an
 * editor was shown with the record: nothing lost, nothing doubled, each prompt in one turn.
 */
import { realpathSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { type AcpCommand, initialize, startAcp } from './acp-command.ts'
import { demos } from './chat.ts'
import { endCoordinator } from './coordinator-process.ts'
import { startHoldfast } from './running-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A server with an agent in a project whose folder an editor has open. */
export async function openFolderOfEditor() {
  let server = await startHoldfast({ up: true })
  const { data, url } = server
  onTestFinished(async () => {
    await server.kill()
    await endCoordinator(data)
  })
  const client = createClient({ url, token: server.token })
  const folder = realpathSync(temporaryFolder())
  const { id: projectId } = await client.post('/api/projects', {
    body: { name: 'opened', path: folder, settings: { 'chat.workplace': 'checkout' } },
  })
  const { args, ...talker } = demos.acp
  await client.post('/api/agents', {
    body: { id: 'talker', name: 'Talker', ...talker, args: [...args] },
  })
  const params = { projectId, agentId: 'talker' }
  await client.put('/api/projects/{projectId}/agents/{agentId}', { params, body: {} })
  const turns = async (key: string) =>
    (await client.get('/api/conversations/{key}/turns', { params: { key }, query: { limit: 200 } }))
      .items
  return {
    data,
    client,
    folder,
    turns,
    kill: () => server.kill(),
    /** The same again, at the same address. */
    start: async () => {
      server = await startHoldfast({ up: true, data, args: ['--port', new URL(url).port] })
    },
  }
}

export type Room = Awaited<ReturnType<typeof openFolderOfEditor>>

export async function openEditorCommand({ data }: Room): Promise<AcpCommand> {
  const editor = startAcp({ data })
  await initialize(editor)
  return editor
}

export const begin = async (editor: AcpCommand, { folder }: Room): Promise<string> =>
  (await editor.call('session/new', { cwd: folder, mcpServers: [] })).result.sessionId

export const promptOf = (key: string, text: string) => ({
  sessionId: key,
  prompt: [{ type: 'text', text }],
})

/**
 * Opens the session as an editor that comes back, and waits until everything of the turn that runs
 * has come: the next piece is of the next prompt.
 */
export async function comeBack(room: Room, key: string, last: string): Promise<AcpCommand> {
  const editor = await openEditorCommand(room)
  const opened = { sessionId: key, cwd: room.folder, mcpServers: [] }
  expect((await editor.call('session/resume', opened)).error).toBeUndefined()
  await untilIdle(room, key)
  // What ran when it came back was told before this is answered.
  await editor.call('session/list', {})
  await editor.until(() => editor.text(key) === '' || editor.text(key).endsWith(last))
  return editor
}

/** Fewer than most turns have. */
const mostPieces = 6

/** Resolves when a number of pieces came that is drawn, or the turn is over before. */
export async function someWay(editor: AcpCommand, answered: Promise<unknown>): Promise<void> {
  const chunks = () =>
    editor.lines.filter(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk')
  const enough = chunks().length + 1 + Math.floor(Math.random() * mostPieces)
  await Promise.race([editor.until(() => chunks().length >= enough), answered])
}

/** What an editor sees that loads the session; the text of all turns as the record has it. */
export async function compareWithRecord(room: Room, key: string, prompts: number): Promise<void> {
  const later = await openEditorCommand(room)
  const { folder } = room
  const loaded = await later.call('session/load', { sessionId: key, cwd: folder, mcpServers: [] })
  expect(loaded.error).toBeUndefined()
  const ran = (await untilIdle(room, key)).filter(({ startedAt }) => startedAt !== null)
  expect(ran.map(({ state }) => state)).toEqual(ran.map(() => 'answered'))
  const asked = JSON.stringify(ran.map(({ content }) => content))
  for (let n = 1; n <= prompts; n++) expect(asked.split(`prompt-${n}.`), `${n}`).toHaveLength(2)
  const record = textOf(ran)
  await later.until(() => later.text(key).length >= record.length)
  expect(later.text(key)).toBe(record)
  await later.kill()
}

type Turns = Awaited<ReturnType<Room['turns']>>

export const textOf = (turns: Turns): string =>
  turns
    .map(({ text }) => text)
    .reverse()
    .join('')

/** Whatever comes next is of what is sent next. */
async function untilIdle(room: Room, key: string): Promise<Turns> {
  for (;;) {
    const found = await room.turns(key)
    if (!found.some(({ state }) => state === 'running' || state === 'queued')) return found
  }
}
