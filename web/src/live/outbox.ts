/**
 * What was sent and is not acknowledged yet (CH10). It lies in the browser's storage, survives
 * reloads and lost connections, and is sent again under the same client id, so the server keeps it
 * once. Sent one after the other in each conversation, so the order stays. Bound to the person who
 * wrote it: nobody else at this browser sends it, and the server refuses it from anybody else,
 * since another tab may have signed somebody else in.
 */
import { useSyncExternalStore } from 'react'
import { ProblemError } from '../../../src/client/client.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { Problem } from '../../../src/protocol/problem.ts'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import { client, me, queryClient } from './queries.ts'

export interface Unsent {
  readonly clientId: string
  readonly by: string
  readonly projectId: string
  readonly agentId: string
  /** The conversation, unless it is the agent's chat in the project. */
  readonly key?: string | undefined
  readonly content: string
  /** Pictures and files that go with it. */
  readonly media?: readonly PromptPart[] | undefined
  readonly priority: Message['priority']
  readonly at: string
  /** The server said no: it is sent again only when the person says so. */
  readonly refused?: Problem
}

const storageKey = 'holdfast.outbox'
/** Beyond this nothing more can be sent until something has arrived. */
const mostUnsent = 50

let entries: readonly Unsent[] = read()
const listeners = new Set<() => void>()
/** Conversations that are being emptied right now. */
const sending = new Set<string>()

function read(): readonly Unsent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? (stored as Unsent[]).slice(0, mostUnsent) : []
  } catch {
    return []
  }
}

function change(next: (now: readonly Unsent[]) => readonly Unsent[]): void {
  entries = next(entries)
  try {
    if (entries.length === 0) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, JSON.stringify(entries))
  } catch {
    // Storage can be full or forbidden; then it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

addEventListener('storage', (event) => {
  if (event.key !== storageKey) return
  entries = read()
  for (const listener of listeners) listener()
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useOutbox = (): readonly Unsent[] => useSyncExternalStore(subscribe, () => entries)

/** Called when the server has it, by an answer or an event. */
export function acknowledge({ senderId, clientId }: Message): void {
  if (
    clientId === null ||
    !entries.some((each) => each.clientId === clientId && each.by === senderId)
  )
    return
  change((now) => now.filter((each) => each.clientId !== clientId))
}

/** False when too much waits already. */
export function send(unsent: Unsent, onSent: (message: Message) => void): boolean {
  if (entries.length >= mostUnsent) return false
  change((now) => [...now, unsent])
  void flushOutbox(unsent, onSent)
  return true
}

export const discard = (clientId: string): void =>
  change((now) => now.filter((each) => each.clientId !== clientId))

export function sendAgain(unsent: Unsent, onSent: (message: Message) => void): void {
  change((now) =>
    now.map(({ refused, ...each }) =>
      each.clientId === unsent.clientId || !refused ? each : { ...each, refused },
    ),
  )
  void flushOutbox(unsent, onSent)
}

type Place = Pick<Unsent, 'projectId' | 'agentId' | 'key'>

/** Sends what waits for a conversation, until all is sent or the server cannot be reached. */
export async function flushOutbox(place: Place, onSent: (message: Message) => void): Promise<void> {
  const name = place.key ?? `${place.projectId} ${place.agentId}`
  const by = queryClient.getQueryData(me.queryKey)?.id
  if (sending.has(name)) return
  sending.add(name)
  try {
    for (let next = nextOf(place, by); next; next = nextOf(place, by)) {
      const { clientId } = next
      try {
        const message = await post(next)
        discard(clientId)
        onSent(message)
      } catch (error) {
        const refused = error instanceof ProblemError ? error.problem : undefined
        // A temporary error: the message is sent again later.
        if (!refused || refused.status >= 500 || refused.status === 401 || refused.status === 429)
          return
        change((now) =>
          now.map((each) => (each.clientId === clientId ? { ...each, refused } : each)),
        )
      }
    }
  } finally {
    sending.delete(name)
  }
}

function post({
  clientId,
  by: senderId,
  projectId,
  agentId: toAgentId,
  key,
  content,
  priority,
  media,
}: Unsent): Promise<Message> {
  const attached = media?.length ? { media: [...media] } : {}
  const options = { idempotencyKey: clientId, retries: 0 }
  if (key === undefined)
    return client.post('/api/chat', {
      body: { projectId, toAgentId, content, clientId, senderId, priority, ...attached },
      ...options,
    })
  const body = { role: 'user' as const, content, clientId, ...attached }
  return client.post('/api/conversations/{key}/messages', { params: { key }, body, ...options })
}

export const isFor = (unsent: Unsent, { projectId, agentId, key }: Place): boolean =>
  unsent.projectId === projectId && unsent.agentId === agentId && unsent.key === key

const nextOf = (place: Place, by: string | undefined): Unsent | undefined =>
  entries.find((each) => each.by === by && isFor(each, place) && !each.refused)

/** The person signs out here on purpose: what they wrote does not stay behind. */
export const forgetUnsent = (): void => change(() => [])
