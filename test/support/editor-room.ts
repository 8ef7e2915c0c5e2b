/**
 * An editor with a folder open that is a project's, an agent in it, and a machine that the test
 * plays.
 */
import { realpathSync } from 'node:fs'
import { started } from '../services/processes/launch-pad.ts'
import { openAcpChat } from './acp-chat.ts'
import { openEditor, text } from './editor.ts'
import { readyAgent, said, turnEnded } from './relay.ts'
import { temporaryFolder } from './temporary-folder.ts'

export async function openEditorRoom(capabilities: object = {}) {
  const chat = await openAcpChat()
  const { server, room, machine } = chat
  const folder = realpathSync(temporaryFolder())
  await server.ask(`/api/projects/${room.projectId}`, { method: 'PATCH', body: { path: folder } })
  const editor = await openEditor(server, { capabilities })
  const begin = async (cwd = folder) =>
    (await editor.call('session/new', { cwd, mcpServers: [] })).result.sessionId as string
  /** From the order of a process to its first turn. */
  const bringUp = async (offers: object = {}) => {
    const { launchId } = await machine.order('launch-begun')
    const { acp } = machine.particulars(launchId)
    await machine.tell(started(launchId), { ...readyAgent(launchId), ...offers } as never)
    const { turnId } = await machine.turn()
    return { launchId, turnId, contextId: acp.contextId as string }
  }
  const prompt = (key: string, words: string) =>
    editor.ask('session/prompt', { sessionId: key, prompt: [text(words)] })
  /** One turn, from its prompt to the answer of the prompt. */
  const talk = async (key: string, words: string, answer: string) => {
    const asked = prompt(key, words)
    const { launchId, turnId } = await bringUp()
    await machine.tell(said(launchId, turnId, answer), turnEnded(launchId, turnId))
    await editor.answerTo(asked)
    return { launchId, turnId }
  }
  return { ...chat, talk, folder, editor, begin, bringUp, prompt, projectId: room.projectId }
}
