/**
 * A project with agents that sign in and call, through the very parts every endpoint uses; and
 * people who give them work.
 */
import { Writable } from 'node:stream'
import { expect } from 'vitest'
import { personScopes } from '../../../src/domain/access/scopes.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import type { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import { AgentCalls } from '../../../src/server/agent-sessions/agent-calls.ts'
import { superseded } from '../../../src/server/agent-sessions/waiting-calls.ts'
import { Tails } from '../../../src/server/live/tail.ts'
import type { Presented } from '../../../src/server/security/credentials.ts'
import { findCredential } from '../../../src/services/access/queries.ts'
import { listAgentSessions } from '../../../src/services/agent-sessions/queries.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { startChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { answerChat } from '../../../src/services/flows/messages/answer-chat.ts'
import { handOverMessages } from '../../../src/services/flows/messages/hand-over-messages.ts'
import { postMessage } from '../../../src/services/flows/messages/post-message.ts'
import {
  assignAgent,
  changeProject,
  createProject,
} from '../../../src/services/projects/change-project.ts'
import { changeTask, createTask } from '../../../src/services/work/change-task.ts'
import { createWorkSession } from '../../../src/services/work/end-work-session.ts'
import type { AgentCaller } from '../../../src/store/conversations/unread.ts'
import type { Store } from '../../../src/store/store.ts'
import { by, ownerWho } from '../projects/installation.ts'

export const nowhere = createLogger({
  level: 'silent',
  format: 'json',
  destination: new Writable({ write: (_, __, done) => done() }),
})

export const callsOn = (store: Store, clock: Clock): AgentCalls =>
  new AgentCalls({ store, clock, tails: new Tails({ store, clock, logger: nowhere }) })

/** Somebody with a credential that is no agent's: the caller has to show more. */
export const unknownCaller: Presented = {
  who: { ...ownerWho, kind: 'script', id: 'script', scopes: [...personScopes] },
  secret: 'a script',
  hash: hashSecret('a script'),
  by: 'bearer',
}

export const refusalOf = (
  attempt: Promise<unknown>,
): Promise<{ code: string; message: string; fields: Record<string, unknown> }> =>
  attempt.then(
    () => expect.unreachable('it was not refused'),
    (error) => error,
  )

export interface Signed extends AgentCaller {
  readonly token: string
  readonly agentSession: AgentSession
}

let offices = 0

export async function openOffice(
  store: Store,
  clock: Clock,
  settings: Readonly<Record<string, number>> = {},
) {
  const calls = callsOn(store, clock)
  const { id: projectId } = await store.run(createProject, { name: 'p', settings, by })
  const office = ++offices
  const passkeys = new Map<string, string>()

  const hire = async (name: string): Promise<string> => {
    const { id, passkey } = await store.run(createAgent, {
      id: `${name}-${office}`,
      name,
      protocol: 'mcp',
      by,
    })
    await store.run(assignAgent, { projectId, agentId: id, by })
    passkeys.set(id, passkey)
    return id
  }
  const agentId = await hire('ann')
  const passkeyOf = (id: string): string => passkeys.get(id) ?? ''

  const authenticate = (id = agentId, launchId?: string) =>
    calls.authenticate(unknownCaller, { agentId: id, passkey: passkeyOf(id), projectId, launchId })

  const caller = async ({ token }: { token: string }): Promise<AgentCaller> =>
    calls.caller(unknownCaller, token)

  return {
    store,
    calls,
    projectId,
    agentId,
    hire,
    passkeyOf,
    authenticate,
    caller,
    /** As an agent that presents its passkey as the bearer. */
    bearerOf: async (id = agentId): Promise<Presented> => {
      const hash = hashSecret(passkeyOf(id))
      const who = await store.query(findCredential, { hash })
      if (!who) throw new Error(`${id} is not known`)
      return { who, secret: passkeyOf(id), hash, by: 'bearer' }
    },
    signIn: async (id = agentId, launchId?: string): Promise<Signed> => {
      const answer = await authenticate(id, launchId)
      if (answer.status !== 'ok') throw new Error('there was no work')
      const { agentSession, token } = answer
      return { agentSessionId: agentSession.id, agentId: id, projectId, token, agentSession }
    },
    say: (content: string, toAgentId = agentId) =>
      store.run(postMessage, { projectId, toAgentId, content, by }),
    openPanel: (id = agentId) => store.run(startChat, { projectId, agentId: id, by }),
    /** A task in progress, in a work session of its own unless one is named. */
    giveTask: async (id = agentId, workSessionId?: string) => {
      const { id: inWorkSession } = workSessionId
        ? { id: workSessionId }
        : await store.run(createWorkSession, { projectId })
      const draft = {
        projectId,
        workSessionId: inWorkSession,
        phase: 1,
        type: 'code',
        title: 't',
        assignedTo: id,
      }
      const { id: taskId } = await store.run(createTask, { ...draft, by })
      await store.run(changeTask, { projectId, taskId, status: 'in_progress', by })
      return { taskId, workSessionId: inWorkSession }
    },
    finish: (taskId: string, status: 'completed' | 'failed' = 'completed') =>
      store.run(changeTask, { projectId, taskId, status, by }),
    set: (change: Readonly<Record<string, number>>) =>
      store.run(changeProject, { projectId, settings: change, by }),
    /** `get_next_action`, with all that an endpoint does before it. */
    next: async (signed: { token: string }, waitSeconds = 0, signal?: AbortSignal) => {
      const answer = await calls.waitingCalls.next(await caller(signed), waitSeconds, signal)
      return answer === superseded
        ? superseded
        : { ...answer.next, task: answer.task, resumed: answer.resumedWorkSessionId }
    },
    handOver: async (receiver: AgentCaller) => {
      const { agentSessionId, agentId: id } = receiver
      const who = { agentSessionId, agentId: id, projectId }
      return (await store.run(handOverMessages, who)).messages
    },
    answer: async (receiver: AgentCaller, content: string) => {
      const { agentSessionId, agentId: id } = receiver
      const who = { agentSessionId, agentId: id, projectId }
      return store.run(answerChat, { ...who, content })
    },
    list: async (): Promise<AgentSession[]> =>
      (await store.query(listAgentSessions, { projectId, limit: 200 })).items,
    one: async ({
      agentSessionId,
    }: {
      agentSessionId: string
    }): Promise<AgentSession | undefined> =>
      (await store.query(listAgentSessions, { projectId, limit: 200 })).items.find(
        ({ id }) => id === agentSessionId,
      ),
  }
}

export type Office = Awaited<ReturnType<typeof openOffice>>
