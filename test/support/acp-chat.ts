/**
 * A person and an ACP agent in the chat of a project: the server runs the loop, and the test acts
 * as the coordinator.
 */

import { expect, onTestFinished } from 'vitest'
import { createLogger } from '../../src/platform/log/logger.ts'
import { started } from '../services/processes/launch-pad.ts'
import { startChatWorkers } from './chat-workers.ts'
import { type Machine, openConsole, readyAgent } from './relay.ts'
import type { TestServerOptions } from './server.ts'

export async function openAcpChat(settings: object = {}, options: TestServerOptions = {}) {
  const room = await openConsole(options, settings)
  const { server, projectId } = room
  const { clock } = server
  const lines: string[] = []
  const logger = createLogger({
    level: 'warn',
    format: 'json',
    destination: { write: (line) => void lines.push(line) },
  })
  const { dispatcher, stop } = await startChatWorkers(server, logger)
  onTestFinished(async () => {
    await stop()
    expect(lines).toEqual([])
  })
  const machine = await room.machine()
  return {
    room,
    server,
    machine,
    dispatcher,
    clock,
    say: (content: string) =>
      server.ask('/api/chat', { method: 'POST', body: { projectId, toAgentId: 'coder', content } }),
    chat: async () =>
      (await server.ask(`/api/projects/${projectId}/agents/coder/messages`)).json.items
        .map(
          ({ senderId, content }: { senderId: string; content: string }) =>
            `${senderId}: ${content}`,
        )
        .reverse(),
    agentSessions: async () =>
      (await server.ask(`/api/agent-sessions?projectId=${projectId}`)).json.items,
  }
}

/** From the order to a process that can be told something. */
export async function bringUp(machine: Machine, agentName?: string): Promise<string> {
  const { launchId } = await machine.order('launch-begun')
  const { acp } = machine.particulars(launchId)
  expect(acp).toMatchObject({ workspace: null })
  await machine.tell(started(launchId), readyAgent(launchId, 'new', agentName))
  return launchId
}
