/** Pairs chats on channels and the people in them (CN2, CN4), and answers those who are not. */
import { ownerId, systemId } from '../../../domain/access/caller.ts'
import { chatWords } from '../../../domain/channels/chat-texts.ts'
import type { ChatAddress } from '../../../domain/channels/key.ts'
import {
  askingLifetimeMs,
  isAnswered,
  maxAskingChats,
  maxUnpairedAttempts,
  readCode,
} from '../../../domain/channels/pairing.ts'
import { type Instant, later } from '../../../domain/instant.ts'
import { home } from '../../../domain/stream-name.ts'
import { hashSecret } from '../../../platform/secrets/secrets.ts'
import { type ChatRow, selectAsking } from '../../../store/channels/channels.ts'
import { personOf } from '../../../store/channels/people.ts'
import { newRow } from '../../../store/rows.ts'
import type { Tx } from '../../../store/store.ts'
import { queueOutgoing, writeChat } from '../../channels/channel-chat-record.ts'
import type { Incoming } from '../../channels/incoming.ts'

/**
 * Handles a message from a chat that is not let in (CN2). A valid code pairs its sender with who
 * made it, and lets a direct chat in; a group is let in by a person alone (CN4). Otherwise the
 * owner sees the chat and the sender is told how to be paired, a few times. The message is not
 * stored; senders, attempts and answers are bounded.
 */
export async function takeUnpaired(
  tx: Tx,
  input: Incoming,
  before: ChatRow | undefined,
  now: Instant,
): Promise<void> {
  tx.lock(home)
  const chat = before ? withRenewedRequest(before, now) : await addAskingChat(tx, input, now)
  if (!chat) return
  const { kind, title, handle, language } = input
  const about = { kind, title, handle, language, last_in_at: now }
  const row = { ...chat, ...about, attempts: chat.attempts + 1 }
  const words = chatWords(language, input.channel)
  const code = codeIn(input)
  const maker =
    code !== undefined && chat.attempts < maxUnpairedAttempts
      ? await consumeCode(tx, input, code, now)
      : undefined
  if (maker !== undefined) {
    await pairPerson(tx, input, maker, now)
    const isLetIn = kind === 'person'
    const decided = { state: 'paired', decided_at: now, decided_by: maker } as const
    await writeChat(tx, { ...row, attempts: 0, ...(isLetIn ? decided : {}) }, maker)
    return queueOutgoing(tx, input, isLetIn ? words.paired : words.personPaired, now)
  }
  if (isAnswered(chat.state, chat.attempts)) {
    await writeChat(tx, row, systemId)
    await queueOutgoing(tx, input, code === undefined ? words.unpaired : words.wrongCode, now)
    // Later messages are not answered. Only tried codes are counted.
  } else if (code !== undefined && chat.attempts < maxUnpairedAttempts)
    await tx.update('channel_chats', row)
}

/** The code that a message consists of, alone or behind `/start`. */
const codeIn = ({ command, content }: Incoming): string | undefined =>
  readCode(command?.command === 'start' ? command.rest : content)

/**
 * Takes a code from somebody in a chat that is served (CN4). True when it was one: then it is no
 * message. Wrong ones are counted, and are messages like others.
 */
export async function takeCode(
  tx: Tx,
  input: Incoming,
  chat: ChatRow,
  now: Instant,
): Promise<boolean> {
  const code = codeIn(input)
  if (code === undefined || chat.attempts >= maxUnpairedAttempts) return false
  tx.lock(home)
  const maker = await consumeCode(tx, input, code, now)
  await tx.update('channel_chats', {
    ...chat,
    attempts: maker === undefined ? chat.attempts + 1 : 0,
  })
  if (maker === undefined) return false
  await pairPerson(tx, input, maker, now)
  await queueOutgoing(tx, input, chatWords(chat.language, input.channel).personPairedHere, now)
  return true
}

/** Answers somebody who is not known in a group where only people are heard, a few times. */
export async function answerUnpaired(
  tx: Tx,
  input: Incoming,
  chat: ChatRow,
  now: Instant,
): Promise<void> {
  if (chat.attempts >= maxUnpairedAttempts) return
  await tx.update('channel_chats', { ...chat, attempts: chat.attempts + 1 })
  await queueOutgoing(tx, input, chatWords(chat.language, input.channel).unknownPerson, now)
}

/** A code that a program made lets a chat in, and makes nobody of its sender. */
async function pairPerson(
  tx: Tx,
  { channel, userId, senderName }: Incoming,
  maker: string,
  now: Instant,
): Promise<void> {
  const isPerson = maker === ownerId || (await tx.row('people', { id: maker })) !== undefined
  if (!isPerson) return
  const row = {
    channel,
    user_id: userId,
    name: senderName,
    person_id: maker,
    paired_at: now,
  }
  await tx.put('channel_people', row)
  tx.append(home, { type: 'channel-person-paired', data: { person: personOf(row), by: maker } })
}

/** An old request counts as a new one. */
const withRenewedRequest = (row: ChatRow, now: Instant): ChatRow =>
  row.state === 'asking' && isExpired(row.asked_at, now)
    ? { ...row, asked_at: now, attempts: 0 }
    : row

const isExpired = (askedAt: Instant, now: Instant): boolean =>
  later(askedAt, askingLifetimeMs) <= now

/** Undefined when too many chats are asking. */
async function addAskingChat(tx: Tx, input: Incoming, now: Instant): Promise<ChatRow | undefined> {
  const { channel } = input
  const asking = await tx.all(selectAsking, { channel, limit: maxAskingChats + 1 })
  const forgotten = asking.filter(({ asked_at }) => isExpired(asked_at, now))
  for (const { chat_id } of forgotten) await tx.delete('channel_chats', { channel, chat_id })
  if (asking.length - forgotten.length >= maxAskingChats) return undefined
  const { chatId: chat_id, kind, title, handle, language } = input
  const hears = channel === 'telegram' ? 'everybody' : 'people'
  const about = { channel, chat_id, kind, title, handle, language, hears } as const
  const row = newRow('channel_chats', { ...about, state: 'asking', asked_at: now, last_in_at: now })
  await tx.insert('channel_chats', row)
  return row
}

/** Consumes a valid code and returns its maker. */
async function consumeCode(
  tx: Tx,
  { channel }: ChatAddress,
  code: string,
  now: Instant,
): Promise<string | undefined> {
  const found = await tx.row('pairing_codes', { channel, hash: hashSecret(code) })
  if (!found || found.expires_at <= now) return undefined
  await tx.delete('pairing_codes', { channel, hash: found.hash })
  return found.created_by
}
