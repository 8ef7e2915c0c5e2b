/**
 * Tries whether two conversations that one process of an agent holds know nothing of each other
 * (CX21): each is given a word of its own, and is then asked which words it knows.
 */
import { randomBytes } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import { webKey } from '../../domain/conversations/key.ts'

interface Probed {
  readonly client: Client
  readonly projectId: string
  readonly agentId: string
  /** Looks until something is found. */
  readonly look: <Found>(find: () => Promise<Found | undefined>) => Promise<Found>
}

interface Answered {
  /** What it said, thought and called. */
  readonly said: string
  readonly launchId: string | null
}

/** New each time: an agent may have kept what it was told in an earlier probe. */
const newWord = (): string => `harbour-${randomBytes(4).toString('hex')}`

const remember = (word: string): string =>
  `The word of this conversation is ${word}. Keep it in mind, and save it nowhere. ` +
  'Use no tool. Reply with: noted'
const tell =
  'Which words that begin with harbour do you know? Reply with all of them, or with: none. ' +
  'Use no tool. [[recall]]'

export interface FoundApart {
  readonly isApart: boolean
  readonly detail: string
}

export async function probeConversations(probed: Probed): Promise<FoundApart> {
  const talks = ['first', 'second'].map((name) => ({
    key: `${webKey(probed.projectId, probed.agentId)}.${name}`,
    word: newWord(),
  }))
  for (const { key } of talks) await probed.client.post('/api/conversations', { body: { key } })
  const planting: Answered[] = []
  for (const { key, word } of talks) planting.push(await turn(probed, key, remember(word)))
  const asking: Answered[] = []
  for (const { key } of talks) asking.push(await turn(probed, key, tell))
  const knows = (index: number, planted: string): boolean =>
    [planting[index], asking[index]].some((answer) => answer?.said.includes(planted))
  const [word, otherWord] = talks.map(({ word: planted }) => planted)
  if (word === undefined || otherWord === undefined) throw new Error('There are two conversations')
  if (knows(0, otherWord) || knows(1, word)) {
    const detail =
      'a conversation knew the word of another in the same process: each gets a process of its own'
    return { isApart: false, detail }
  }
  const processes = new Set([...planting, ...asking].map(({ launchId }) => launchId))
  if (processes.size > 1)
    return { isApart: true, detail: 'each conversation had a process of its own' }
  const remembers = knows(0, word) && knows(1, otherWord)
  const detail = remembers
    ? 'two in one process: each knew its own word alone'
    : 'two in one process: neither said the word of the other, nor did each say its own'
  return { isApart: true, detail }
}

async function turn({ client, look }: Probed, key: string, content: string): Promise<Answered> {
  const params = { key }
  await client.post('/api/conversations/{key}/messages', {
    params,
    body: { role: 'user', content },
  })
  const query = { limit: 1, items: true }
  const ended = await look(async () => {
    const { items } = await client.get('/api/conversations/{key}/turns', { params, query })
    return items[0]?.endedAt ? items[0] : undefined
  })
  if (ended.state !== 'answered') throw new Error(ended.error ?? `its turn is ${ended.state}`)
  const { contexts } = await client.get('/api/conversations/{key}/context', { params })
  const launchId = contexts[0]?.launchId ?? null
  return { said: ended.text + JSON.stringify(ended.items ?? []), launchId }
}
