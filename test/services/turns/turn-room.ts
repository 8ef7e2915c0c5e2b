/**
 * Whatever a turn can be for, on the store alone: a chat, a prompt in a role, a task, and a chat of
 * an agent that pulls. The test plays the machine; each of these is asked, begun and ended alike.
 */
import { consoleKey, webKey, workKey } from '../../../src/domain/conversations/key.ts'
import { createTurnDispatcher } from '../../../src/server/processes/work-scanner.ts'
import { changeAgent } from '../../../src/services/agents/change-agent.ts'
import { createUserSession } from '../../../src/services/flows/consoles/change-user-session.ts'
import { spawnRoleAgent } from '../../../src/services/flows/consoles/spawn-role-agent.ts'
import { beginThread } from '../../../src/services/flows/conversations/begin-thread.ts'
import { answerChat } from '../../../src/services/flows/messages/answer-chat.ts'
import { handOverMessages } from '../../../src/services/flows/messages/hand-over-messages.ts'
import { sayInConversation } from '../../../src/services/flows/messages/post-message.ts'
import { withdrawMessage } from '../../../src/services/flows/messages/withdraw-message.ts'
import { withdrawPrompt } from '../../../src/services/flows/turns/cancel-turn.ts'
import { sendPrompt } from '../../../src/services/flows/turns/send-prompt.ts'
import { createWorkSession } from '../../../src/services/work/end-work-session.ts'
import type { Store } from '../../../src/store/store.ts'
import type { ManualClock } from '../../support/manual-clock.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'
import { nowhere, type Signed } from '../agent-sessions/agent-office.ts'
import { exited, openPad, type Said } from '../processes/launch-pad.ts'
import { by } from '../projects/installation.ts'

export const kindsOfTurn = ['chat', 'thread', 'role', 'task', 'pulled'] as const
export type KindOfTurn = (typeof kindsOfTurn)[number]
/** Another can be asked for while one runs, and waits. */
export const kindsThatQueue = ['chat', 'thread', 'role'] as const

interface TurnSeen {
  readonly id: string
  readonly state: string
  readonly stopReason: string | null
  readonly retryOf: string | null
  readonly error?: string
}

/** Something that an agent is asked for again and again. */
export interface Place {
  readonly key: string
  readonly agentId: string
  ask(content: string): Promise<void>
  /** Withdraws what was asked last. */
  withdrawLast(): Promise<void>
  /** Lets its agent be ready, and begin what waits. */
  begin(): Promise<void>
  /** The agent says this and is done. */
  answer(text: string): Promise<void>
  /** Lets its process end by itself, or be stopped. */
  die(how?: { readonly exitCode?: number; readonly stopped?: boolean }): Promise<void>
}

export async function openTurnRoom({ store, clock }: { store: Store; clock: ManualClock }) {
  const pad = await openPad(store, clock)
  const { projectId, coordinator } = pad
  const dispatcher = createTurnDispatcher({ store, clock, logger: nowhere })

  let hired = 0
  const prompted = async (name: string): Promise<string> => {
    const id = await pad.startable(await pad.hire(`${name}${++hired}`))
    await store.run(changeAgent, { agentId: id, protocol: 'acp', by })
    return id
  }
  const rows = (key: string) =>
    store.read((reader) =>
      reader.query((db) =>
        db
          .selectFrom('turns')
          .selectAll()
          .where('conversation_key', '=', key)
          .orderBy('created_at'),
      ),
    )
  const turns = async (key: string): Promise<TurnSeen[]> =>
    (await rows(key)).map((row) => ({
      id: row.id,
      state: row.state,
      stopReason: row.stop_reason,
      retryOf: row.retry_of,
      ...(row.error !== null && { error: row.error }),
    }))
  const messages = (key: string) =>
    store.read((reader) =>
      reader.query((db) =>
        db
          .selectFrom('messages')
          .select(['role', 'content', 'client_id'])
          .where('conversation_key', '=', key)
          .where('visible', '=', 1)
          .orderBy('seq'),
      ),
    )
  const unread = async (key: string): Promise<number> =>
    (
      await store.read((reader) =>
        reader.query((db) =>
          db.selectFrom('unread_messages').select('seq').where('conversation_key', '=', key),
        ),
      )
    ).length
  /** The scan that finds what nobody began in a commit of its own. */
  const scan = async (): Promise<void> => {
    dispatcher.scanAll()
    await dispatcher.settled()
  }
  const runningTurn = async (key: string): Promise<{ turnId: string; launchId: string }> => {
    const row = (await rows(key)).find(({ state }) => state === 'running')
    if (!row) throw new Error(`no turn runs in ${key}`)
    return { turnId: row.id, launchId: row.launch_id ?? '' }
  }
  let workplace: object = {}
  const ready = async (launchId: string): Promise<void> => {
    await coordinator.start(launchId)
    await coordinator.tell({ ...readyAgent(launchId), ...workplace } as Said)
  }

  /** What agents have in common that are prompted. */
  const driven = (key: string, agentId: string, bringUp: () => Promise<string | null>) => {
    let launchId: string | null = null
    return {
      key,
      agentId,
      async begin() {
        if (launchId === null) {
          launchId = await bringUp()
          if (launchId !== null) await ready(launchId)
        }
        await scan()
      },
      async answer(text: string) {
        const { turnId, launchId: its } = await runningTurn(key)
        await coordinator.tell(said(its, turnId, text), turnEnded(its, turnId))
      },
      async die(how: { exitCode?: number; stopped?: boolean } = { exitCode: 1 }) {
        const its = launchId ?? ''
        launchId = null
        await coordinator.tell(exited(its, how))
      },
    }
  }

  /** Messages that people write to an agent. */
  const written = (key: string, say: (content: string) => Promise<{ seq: number }>) => {
    let seq = 0
    return {
      async ask(content: string) {
        clock.advance(1)
        seq = (await say(content)).seq
      },
      withdrawLast: async () => void (await store.run(withdrawMessage, { key, seq, by })),
    }
  }

  const places: Readonly<Record<KindOfTurn, () => Promise<Place>>> = {
    async chat() {
      const agentId = await prompted('chatter')
      const key = webKey(projectId, agentId)
      const bringUp = async () => (await pad.order(agentId))?.launchId ?? null
      return {
        ...driven(key, agentId, bringUp),
        ...written(key, (content) => pad.say(content, agentId)),
      }
    },
    async thread() {
      const agentId = await prompted('threader')
      const begun = { projectId, agentId, title: 'a session', by, clientId: undefined }
      const { key } = await store.run(beginThread, begun)
      const bringUp = async () =>
        (await pad.launches.order({ agentId, projectId, lane: key }))?.launchId ?? null
      const say = (content: string) => store.run(sayInConversation, { key, projectId, content, by })
      return { ...driven(key, agentId, bringUp), ...written(key, say) }
    },
    async role() {
      const agentId = await prompted('coder')
      const { userSessionId } = await store.run(createUserSession, {
        projectId,
        by,
        requestId: undefined,
      })
      const spawn = { userSessionId, role: 'auth', agentId, cannotStart: null, by }
      await store.run(spawnRoleAgent, { ...spawn, startOn: coordinator.id })
      const bringUp = async () =>
        (await pad.processes()).find((each) => each.agentId === agentId && each.state !== 'ended')
          ?.launchId ?? null
      const place = driven(consoleKey(userSessionId, 'auth'), agentId, bringUp)
      await place.begin()
      const inRole = { userSessionId, role: 'auth' }
      let messageId = ''
      return {
        ...place,
        async ask(text) {
          clock.advance(1)
          const content = [{ type: 'text' as const, text }]
          const sent = await store.run(sendPrompt, { ...inRole, content, by })
          messageId = sent.messageId
        },
        async withdrawLast() {
          await store.run(withdrawPrompt, { ...inRole, messageId })
        },
      }
    },
    async task() {
      const agentId = await prompted('worker')
      const { id: workSessionId } = await store.run(createWorkSession, { projectId })
      const bringUp = async () => (await pad.order(agentId))?.launchId ?? null
      const place = driven(workKey(workSessionId, agentId), agentId, bringUp)
      let taskId = ''
      return {
        ...place,
        async ask() {
          taskId = (await pad.giveTask(agentId, workSessionId)).taskId
        },
        withdrawLast: async () => void (await pad.finish(taskId, 'failed')),
      }
    },
    async pulled() {
      const agentId = await pad.hire('puller')
      let signed: Signed | undefined
      return {
        key: webKey(projectId, agentId),
        agentId,
        ...written(webKey(projectId, agentId), (content) => pad.say(content, agentId)),
        async begin() {
          signed ??= await pad.signIn(agentId)
          await store.run(handOverMessages, caller(signed))
        },
        async answer(content) {
          if (signed) await store.run(answerChat, { ...caller(signed), content })
        },
        async die() {
          if (signed) await pad.calls.logout(await pad.caller(signed))
          signed = undefined
        },
      }
    },
  }
  const caller = ({ agentSessionId, agentId }: Signed) => ({ agentSessionId, agentId, projectId })
  /** The limit that an agent has met in a conversation. */
  const limited = async (conversationKey: string) => {
    const [row] = await store.read((reader) =>
      reader.query((db) =>
        db
          .selectFrom('contexts')
          .innerJoin('conversations', 'conversations.key', 'contexts.conversation_key')
          .select(['contexts.id', 'conversations.user_session_id'])
          .where('contexts.conversation_key', '=', conversationKey)
          .where('contexts.limited_until', 'is not', null),
      ),
    )
    const { id: contextId = '', user_session_id: userSessionId = null } = row ?? {}
    return { contextId, conversationKey, projectId, userSessionId }
  }
  const tell = (...facts: Said[]) => coordinator.tell(...facts)
  /** Where agents that are ready from now on work. */
  const works = (place: { readonly workspace: string; readonly branch: null }): void => {
    workplace = place
  }
  return {
    ...pad,
    places,
    prompted,
    driven,
    turns,
    rows,
    messages,
    unread,
    scan,
    runningTurn,
    tell,
    works,
    clock,
    limited,
  }
}
