/**
 * Forks of a session's turns (FS9). Each is a session of its own, and for the client that forked a
 * chat of the session too, under the name that the client gave it.
 */
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { chatNameOf, findChatsOf, nameThread } from '../../services/conversations/thread-names.ts'
import type { Channels } from './channels.ts'
import { AhpError } from './json-rpc.ts'
import { threadOfChat } from './names.ts'

export interface Fork {
  /** The chat, as its client calls it. */
  readonly uri: string
  readonly conversation: Conversation
}

/** One that is gone, or not this caller's any more, is left out. */
export async function readForks(
  { app }: Pick<ServerDependencies, 'app'>,
  who: Who,
  key: string,
): Promise<Fork[]> {
  const forks: Fork[] = []
  for (const found of await app.read(findChatsOf, { key, personId: who.id }, who))
    try {
      const whose = { key: found.key, personId: who.id }
      forks.push({ uri: found.chat, conversation: await app.read(getConversation, whose, who) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  return forks
}

const Name = z.string().min(1).max(4300)

export const CreateChat = z.object({
  channel: Name,
  chat: Name,
  source: z.looseObject({ kind: z.string().max(100), chat: Name, turnId: Name }).optional(),
})

interface ForkCall {
  readonly who: Who
  readonly deps: ServerDependencies
  readonly channels: Channels
}

/** The same again is refused, as the client's name is taken. */
export async function forkChat(
  { who, deps, channels }: ForkCall,
  { channel, chat, source }: z.output<typeof CreateChat>,
): Promise<void> {
  if (source?.kind !== 'fork')
    throw new AhpError('invalidParams', 'A session has one chat; others are forks of its turns')
  if (threadOfChat(chat) !== channel)
    throw new AhpError('invalidParams', `${chat} is no name of a chat of ${channel}`)
  if (await channels.isThere(who, chat))
    throw new AhpError('exists', `There is a chat ${chat} already`)
  const turn = await channels.within(who, source.chat, async (from) => {
    const run = from.chat.turns.find(({ id }) => id === source.turnId)?.runs.at(-1)
    if (!run?.turnId) throw new AhpError('notFound', `There is no turn ${source.turnId}`)
    if (!run.end) throw new AhpError('turnRuns', 'This turn runs')
    return { key: from.key, turnId: run.turnId }
  })
  const { credentialId } = who
  const receipt = { credentialId, operation: 'ahp-fork', key: chat, sealedBy: '' }
  const once = { ...receipt, contentHash: turn.turnId }
  const { conversation } = await deps.fileOperations.fork(who, turn, undefined, once)
  await channels.within(who, channel, async (watched) => {
    const name = chatNameOf(watched.key, chat)
    await deps.app.run(nameThread, { key: conversation, personId: who.id, name }, who)
    await watched.readAgain()
  })
}
