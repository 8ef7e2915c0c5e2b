/**
 * CX1: two Telegram chats, a group and the web talk to one agent at once, and through it to a
 * second one. Each message holds a secret of its conversation, and the agents are asked for all
 * they know. No answer, and nothing an agent was primed with, may hold a secret of another
 * conversation; and every message is answered with its own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/client/client.ts'
import { endCoordinator } from '../support/coordinator-process.ts'
import { TelegramStandIn, telegramToken } from '../support/telegram.ts'
import { eventually, TooLate } from './eventually.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'
import { startServer } from './server-process.ts'

export interface IsolationOptions {
  readonly build: string
  readonly seed: string
  readonly messages: number
  readonly demo: keyof typeof demos
}

export interface IsolationResult {
  readonly messages: number
  /** Secrets that were said back. */
  readonly recalled: number
  readonly tally: Tally
}

const demos = {
  acp: { protocol: 'acp', args: ['demo-acp'] },
  mcp: { protocol: 'mcp', args: ['demo-mcp'] },
} as const

/** Those of Telegram; a group has a number below zero. */
const chats = [
  { chatId: 1, name: 'Aiko' },
  { chatId: 2, name: 'Ben' },
  { chatId: -300, name: 'Cho', group: 'Friends' },
] as const
const [agentId, helperId] = ['talker', 'helper']
/** So many are on their way at once. */
const burst = 8
const secretOf = (text: string): string[] =>
  [...text.matchAll(/secret-\w+-\d+\./g)].map(([secret]) => secret)

export async function isolation({
  build,
  seed,
  messages,
  demo,
}: IsolationOptions): Promise<IsolationResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-isolation-'))
  const dice = chance(seed)
  const telegram = await new TelegramStandIn().open()
  const env = {
    HOLDFAST_TELEGRAM_TOKEN: telegramToken,
    HOLDFAST_TELEGRAM_API_ROOT: telegram.url,
    XDG_STATE_HOME: join(data, 'state'),
  }
  const server = await startServer(build, data, 0, env, 'up')
  const result = { messages: 0, recalled: 0, tally: newTally() }
  try {
    const client = createClient(await server.ready)
    const projectId = await begin(client, telegram, demo)
    const web = `web:${projectId}.${agentId}`
    const keys = [web, ...chats.map(({ chatId }) => `telegram:${chatId}`)]
    const between = `agent:${helperId}~${agentId}`
    const said = (key: string) => saidIn(client, key, key === between ? helperId : agentId)
    while (result.messages < messages) {
      const wanted = new Map<string, string[]>()
      for (let left = Math.min(burst, messages - result.messages); left > 0; left--) {
        // Each is spoken in, however few there are.
        const at = result.messages < keys.length ? result.messages : dice.below(keys.length)
        const secret = `secret-${at}-${result.messages++}.`
        // Every fourth goes through the second agent, which tells all that it knows of the sender.
        const isForHelper = dice.one(0.25)
        const text = isForHelper
          ? `[[tell ${helperId} {{recall}} ${secret}]]`
          : `[[recall]] ${secret}`
        const chat = chats[at - 1]
        if (chat) telegram.say(text, chat)
        else
          await client.post('/api/chat', { body: { projectId, toAgentId: agentId, content: text } })
        const places = [keys[at] ?? '', ...(isForHelper ? [between] : [])]
        for (const place of places) wanted.set(place, [...(wanted.get(place) ?? []), secret])
      }
      for (const [key, secrets] of wanted)
        await eventually(`the answers to ${secrets.join(' ')} in ${key}`, async () => {
          const there = new Set((await said(key)).flatMap(secretOf))
          return secrets.every((secret) => there.has(secret)) ? true : undefined
        })
    }
    for (const key of keys)
      await eventually(`rest in ${key}`, async () =>
        (await client.get('/api/conversations/{key}', { params: { key } })).activity === 'idle'
          ? true
          : undefined,
      )
    const findings = noFindings()
    for (const [at, key] of keys.entries()) {
      const primed = await client.get('/api/conversations/{key}/context', { params: { key } })
      const held = [...(await said(key)), JSON.stringify(primed)].flatMap(secretOf)
      result.recalled += held.length
      for (const secret of new Set(held))
        if (!secret.startsWith(`secret-${at}-`)) findings.torn.push(`${key} was told ${secret}`)
    }
    addTo(result.tally, findings, `seed ${seed}`)
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    addTo(result.tally, { ...noFindings(), lost: [error.message] }, `seed ${seed}`)
  } finally {
    server.child.kill('SIGKILL')
    await server.exited
    await endCoordinator(data)
    await telegram.close()
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
  return result
}

/** All that was said is looked at, and what is told of it does not grow with each answer. */
const settings = {
  'restart.max': 100,
  'chat.summarize_after_chars': 1_000_000,
  'resume.budget_tokens': 1000,
}

async function begin(
  client: Client,
  telegram: TelegramStandIn,
  demo: keyof typeof demos,
): Promise<string> {
  const { id: projectId } = await client.post('/api/projects', { body: { name: 'talk', settings } })
  const { protocol, args } = demos[demo]
  for (const id of [agentId, helperId]) {
    await client.post('/api/agents', {
      body: { id, name: id, protocol, command: 'holdfast', args: [...args] },
    })
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId: id },
      body: {},
    })
  }
  for (const chat of chats) {
    telegram.say('hello?', chat)
    const params = { channel: 'telegram' as const, chatId: String(chat.chatId) }
    const body = { state: 'paired' as const, route: { projectId, agentId } }
    await eventually(`the chat ${chat.chatId}`, () =>
      client.patch('/api/channels/{channel}/chats/{chatId}', { params, body }).then(() => true),
    )
  }
  return projectId
}

/** What an agent has said in a conversation. */
async function saidIn(client: Client, key: string, by: string): Promise<string[]> {
  const all: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor && { cursor }) }
    const page = await client.get('/api/conversations/{key}/messages', { params: { key }, query })
    all.push(...page.items.filter(({ senderId }) => senderId === by).map(({ content }) => content))
    cursor = page.nextCursor
  }
  return all
}
