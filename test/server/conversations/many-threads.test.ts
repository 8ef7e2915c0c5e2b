/**
 * Two people in ten sessions of one agent at once, while its processes are killed: no context gets
 * a word of another session, and each message is answered once.
 */
import { expect, test } from 'vitest'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'

const threads = 10
const messages = 300
/** Every so many messages the process of the thread is killed in its turn. */
const killedEvery = 9

interface Running {
  readonly launchId: string
  readonly turnId: string
  readonly prompts: string
}

test('[SN11] ten sessions of two people stay apart; each message is answered once, with kills', async () => {
  const { server, room, machine } = await openAcpChat({ 'restart.max': 100 })
  const { projectId } = room
  const { json: mia } = await server.ask('/api/people', {
    method: 'POST',
    body: { name: 'Mia', role: 'member' },
  })
  const people = [server.ownerToken, mia.token]
  const keys: string[] = []
  for (let n = 0; n < threads; n++)
    keys.push(
      (
        await server.ask(`/api/projects/${projectId}/conversations`, {
          method: 'POST',
          body: { agentId: 'coder', title: `thread ${n}` },
          token: people[n % 2],
        })
      ).json.key,
    )
  const processes = new Map<number, string>()
  const running = new Map<number, Running>()
  const prompts: string[][] = keys.map(() => [])

  const takeTurn = async (thread: number): Promise<void> => {
    if (!processes.has(thread)) {
      const { launchId } = await machine.order('launch-begun')
      await machine.tell(started(launchId), readyAgent(launchId))
      processes.set(thread, launchId)
    }
    const turn = await machine.turn()
    expect(turn.launchId).toBe(processes.get(thread))
    const text = JSON.stringify(turn)
    prompts[thread]?.push(text)
    running.set(thread, { launchId: turn.launchId, turnId: turn.turnId, prompts: text })
  }
  const finish = async (thread: number): Promise<void> => {
    const turn = running.get(thread)
    if (!turn) return
    running.delete(thread)
    const answer = said(turn.launchId, turn.turnId, `answer in s${thread}.`)
    await machine.tell(answer, turnEnded(turn.launchId, turn.turnId))
  }
  const kill = async (thread: number): Promise<void> => {
    const turn = running.get(thread)
    if (!turn) return
    running.delete(thread)
    processes.delete(thread)
    await machine.tell(exited(turn.launchId, { signal: 'SIGKILL' }))
    await takeTurn(thread)
  }
  /** A turn that had messages waiting behind it is followed by theirs. */
  const settle = async (thread: number): Promise<void> => {
    const hadMore = waiting.has(thread)
    waiting.delete(thread)
    await finish(thread)
    if (hadMore) await takeTurn(thread)
  }
  const waiting = new Set<number>()

  for (let n = 0; n < messages; n++) {
    const thread = (n * 7 + Math.floor(n / threads)) % threads
    const body = { projectId, conversationKey: keys[thread], content: `word ${n} of s${thread}.` }
    const token = people[n % 2]
    expect((await server.ask('/api/chat', { method: 'POST', body, token })).status).toBe(201)
    if (running.has(thread)) waiting.add(thread)
    else await takeTurn(thread)
    if (n % killedEvery === killedEvery - 1) await kill(thread)
    if (n % 3 === 2) await settle((thread + 3) % threads)
  }
  for (let thread = 0; thread < threads; thread++) while (running.has(thread)) await settle(thread)

  for (const [thread, key] of keys.entries()) {
    const others = new RegExp(`s(?!${thread}\\.)\\d\\.`)
    expect(prompts[thread]?.filter((text) => others.test(text))).toEqual([])
    const { items } = (await server.ask(`/api/conversations/${key}/archive?limit=200`)).json
    const own = items.filter(({ role }: { role: string }) => role === 'user')
    const given = prompts[thread]?.join() ?? ''
    for (const { content } of own) expect(given).toContain(content)
    expect(items.some(({ content }: { content: string }) => others.test(content))).toBe(false)
    const { items: turns } = (await server.ask(`/api/conversations/${key}/turns?limit=200`)).json
    const answered = turns.filter(({ state }: { state: string }) => state === 'answered')
    const answers = items.filter(({ role }: { role: string }) => role === 'assistant')
    expect(answers).toHaveLength(answered.length)
    expect((await server.ask(`/api/conversations/${key}`)).json.activity).toBe('idle')
  }
  const { json: left } = await server.ask(`/api/conversations?projectId=${projectId}&live=true`)
  expect(left.items).toEqual([])
})
