/**
 * A project of a real server with one ACP agent, a real process on a real coordinator: asked and
 * looked at over REST.
 */

import { expect, onTestFinished } from 'vitest'
import { createLogger } from '../../src/platform/log/logger.ts'
import { createToken } from '../../src/services/access/change-access.ts'
import { ownerWho } from '../services/projects/installation.ts'
import type { AgentCommand } from './acp-agent.ts'
import { startChatWorkers } from './chat-workers.ts'
import { startCoordinator } from './coordinator.ts'
import { openTestServer } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Anything = any

export interface AgentOnServerOptions {
  readonly settings?: object
  /** Fields of the agent's entry. */
  readonly entry?: object
}

export async function openAgentOnServer(
  { file, args, env }: AgentCommand,
  { settings = {}, entry }: AgentOnServerOptions = {},
) {
  const server = await openTestServer()
  const { store } = server
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  const { stop } = await startChatWorkers(server, logger)
  onTestFinished(async () => {
    await stop()
  })
  const ask = async (
    path: string,
    body?: object,
    method = body ? 'POST' : 'GET',
  ): Promise<Anything> => {
    const answer = await server.ask(path, body ? { method, body } : { method })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.json
  }
  const { id: projectId } = await ask('/api/projects', {
    name: 'with an agent',
    path: temporaryFolder(),
    settings,
  })
  await ask('/api/agents', {
    id: 'coder',
    name: 'coder',
    protocol: 'acp',
    command: file,
    args: [...args],
    env: { ...env },
    ...entry,
  })
  await ask(`/api/projects/${projectId}/agents/coder`, {}, 'PUT')
  const { token } = await store.run(createToken, {
    name: 'machine',
    kind: 'coordinator',
    by: ownerWho,
  })
  const { coordinator } = startCoordinator({ url: server.url, token }, {})
  const key = `web:${projectId}.coder`
  /** Newest first. */
  const turns = async (): Promise<Anything[]> => {
    const { status, json } = await server.ask(`/api/conversations/${encodeURIComponent(key)}/turns`)
    return status === 404 ? [] : json.items
  }
  const messages = async (): Promise<string[]> =>
    (await ask(`/api/projects/${projectId}/agents/coder/messages`)).items
      .map(({ senderId, content }: Anything) => `${senderId}: ${content}`)
      .reverse()
  const say = (content: string) => ask('/api/chat', { projectId, toAgentId: 'coder', content })
  /** Resolves with the turn that ended last, when there are so many. */
  const ended = async (count: number): Promise<Anything> => {
    const over = async () =>
      (await turns()).filter(({ state }) => state !== 'queued' && state !== 'running')
    await expect
      .poll(async () => (await over()).length, { timeout: 30_000, interval: 20 })
      .toBe(count)
    return (await over())[0]
  }
  return {
    server,
    ask,
    projectId,
    coordinator,
    key,
    turns,
    messages,
    say,
    ended,
    /** Says it, and resolves with its turn when that is over. */
    async tell(content: string): Promise<Anything> {
      const before = (await turns()).length
      await say(content)
      return ended(before + 1)
    },
    /** Resolves when its process is known to have ended. */
    async gone(): Promise<void> {
      const running = async () =>
        (await ask(`/api/processes?projectId=${projectId}`)).items.filter(
          ({ state }: Anything) => state !== 'ended',
        )
      await expect
        .poll(async () => (await running()).length, { timeout: 30_000, interval: 20 })
        .toBe(0)
    },
    /** The one permission or question that is open. */
    async asked(): Promise<Anything> {
      const open = async () =>
        (await ask(`/api/projects/${projectId}/approvals`)).items.filter(
          ({ status }: Anything) => status === 'pending',
        )
      await expect
        .poll(async () => (await open()).length, { timeout: 30_000, interval: 20 })
        .toBe(1)
      return (await open())[0]
    },
    decide: (id: number, body: object) =>
      server.ask(`/api/projects/${projectId}/approvals/${id}/decision`, { method: 'POST', body }),
  }
}
