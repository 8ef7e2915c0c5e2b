/**
 * What a person says in a chat over the Agent Host Protocol: prompts, what waits and its order, and
 * what is taken back. Part of actions.ts.
 */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { promptSession } from '../../services/flows/conversations/prompt-session.ts'
import { moveMessage } from '../../services/flows/messages/move-message.ts'
import { withdrawMessage } from '../../services/flows/messages/withdraw-message.ts'
import type { ReceiptKey } from '../../store/store.ts'
import { AhpError } from './json-rpc.ts'
import { firstIdOf, idOfChanged } from './names.ts'
import type { WatchedThread } from './watched-thread.ts'

export interface Given {
  readonly who: Who
  readonly deps: ServerDependencies
  readonly watched: WatchedThread
  readonly receipt: ReceiptKey | undefined
}

export const Id = z.string().min(1).max(200)

const Attachment = z.looseObject({
  type: z.string().max(100),
  uri: z.string().max(20_000).optional(),
  label: z.string().max(2000).optional(),
})

export const Prompt = z.looseObject({
  text: z.string().min(1).max(500_000),
  attachments: z.array(Attachment).max(50).optional(),
})

/** Files that are attached are named below the text, unless it names them. */
export function contentOf({ text, attachments = [] }: z.output<typeof Prompt>): string {
  const named = attachments.map(nameOf).filter((name) => !text.includes(name))
  const lines = [...new Set(named)].map((name) => `- ${name}`)
  return lines.length === 0 ? text : `${text}\n\nAttached:\n${lines.join('\n')}`
}

function nameOf({ type, uri, label }: z.output<typeof Attachment>): string {
  try {
    if (uri?.startsWith('file:')) return fileURLToPath(uri)
  } catch {
    // A file of another machine is named as the client names it.
  }
  return uri ?? `${label ?? type} (what it holds was not sent)`
}

export async function prompt(
  { who, deps, watched, receipt }: Given,
  clientId: string,
  content: string,
): Promise<number> {
  const message = { key: watched.key, content, clientId, by: who.id, scopes: who.scopes }
  const taken = await deps.app.run(promptSession, message, who, receipt)
  return taken.message.seq
}

/** What waits under this id with other words is replaced where it stands. */
export async function queue(all: Given, id: string, content: string): Promise<void> {
  // Each step is done once by itself: one receipt would be taken for the first alone.
  const given = { ...all, receipt: undefined }
  const { queued } = given.watched.chat
  const at = queued.findIndex((each) => each.id === id)
  if (at >= 0 && queued[at]?.text === content) return
  if (at >= 0) await withdraw(given, id)
  try {
    await prompt(given, id, content)
    return
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'idempotency_key_reused') throw error
  }
  // The words before had this id. The same change again is the same message.
  const version = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  const seq = await prompt(given, idOfChanged(id, version), content)
  const next = at < 0 ? undefined : queued[at + 1]
  if (next) await moved(given, { seq, to: seqOf(given.watched, next.id) })
}

/** What waits, by the id that the client gave it. */
export function seqOf({ thread }: WatchedThread, id: string): number {
  const { messages } = thread.state
  const found = messages.findLast(
    ({ clientId, id: own }) => own === id || (clientId !== null && firstIdOf(clientId) === id),
  )
  if (!found) throw new AhpError('notFound', `No message ${id} waits here`)
  return found.seq
}

export const moved = (
  { who, deps, watched }: Given,
  { seq, to }: { seq: number; to: 'now' | number | null },
): Promise<unknown> => deps.app.run(moveMessage, { key: watched.key, seq, to, by: who.id }, who)

export function withdraw({ who, deps, watched, receipt }: Given, id: string): Promise<unknown> {
  const input = { key: watched.key, seq: seqOf(watched, id), by: who.id }
  return deps.app.run(withdrawMessage, input, who, receipt)
}

/** The chat up to a turn, and the files as they were after it; without one, before the first. */
export async function truncate(
  { who, deps, watched, receipt }: Given,
  { turnId: id }: { turnId?: string | undefined },
): Promise<void> {
  const { turns, isActive } = watched.chat
  if (isActive) throw new AhpError('turnRuns', 'A turn runs; stop it first')
  const at = id === undefined ? -1 : turns.findIndex((each) => each.id === id)
  if (id !== undefined && at < 0) throw new AhpError('notFound', `There is no turn ${id}`)
  if (at === turns.length - 1) return
  const turnId = turns[Math.max(at, 0)]?.runs.at(-1)?.turnId
  if (turnId == null)
    throw new AhpError('invalidParams', 'This message was answered together with the next')
  const to = at < 0 ? 'before' : 'after'
  await deps.fileOperations.rewind(who, { key: watched.key, turnId }, { to }, receipt)
}
