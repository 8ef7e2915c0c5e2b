/**
 * The day boundary (DC6) in the chat of an ACP agent: live, on a manual clock, with the job that
 * closes days.
 */
import { expect, test } from 'vitest'
import { agentKey, webKey } from '../../../src/domain/conversations/key.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { chapterLooks } from '../../support/due-work.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { said, turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'

/** Ten seconds before four o'clock in Tokyo: the last of the 1st of March. */
const beforeBoundary = Date.parse('2026-03-01T18:59:50.000Z')
const pastBoundaryMs = 11_000

async function openDays() {
  const testStore = await openTestStore({ clock: manualClock(beforeBoundary) })
  const opened = await openAcpChat({}, { testStore })
  const { server, room } = opened
  const job = chapterLooks({
    store: server.store,
    clock: server.clock,
    logger: createLogger({ level: 'silent', format: 'json' }),
  })
  const at = (key: string, more: string) => `/api/conversations/${encodeURIComponent(key)}${more}`
  const items = async (key: string, more: string) => (await server.ask(at(key, more))).json.items
  return {
    ...opened,
    key: webKey(room.projectId, 'coder'),
    cutOver: () => job.run(),
    days: async (key: string) =>
      (await items(key, '/chapters')).map((each: Record<string, unknown>) => [
        each['day'],
        each['state'],
        each['messageCount'],
      ]),
    contents: async (key: string, day: string): Promise<string[]> =>
      (await items(key, `/chapters/${day}/messages`)).map(
        ({ content }: { content: string }) => content,
      ),
  }
}

test('[DC6] a turn over the boundary is whole: its day has question and answer, and the next day begins without them', async () => {
  const { key, say, machine, clock, server, cutOver, days, contents } = await openDays()
  await say('a long question')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  clock.advance(pastBoundaryMs)
  await cutOver()
  await say('are you still there?')
  expect(await days(key)).toEqual([['2026-03-01', 'open', 2]])
  await machine.tell(said(launchId, turnId, 'a long answer'), turnEnded(launchId, turnId))
  const next = await machine.turn()
  expect(await days(key)).toEqual([['2026-03-01', 'closed', 3]])
  expect(await contents(key, '2026-03-01')).toEqual([
    'a long question',
    'are you still there?',
    'a long answer',
  ])
  await cutOver()
  const note = (await server.ask('/api/notes/20260301')).text
  expect([note.includes('a long question'), note.includes('a long answer')]).toEqual([true, true])
  await machine.tell(said(launchId, next.turnId, 'yes'), turnEnded(launchId, next.turnId))
  expect(await contents(key, '2026-03-02')).toEqual(['yes'])
})

test('[DC6] an answer in words of ours, because the turn failed, is of the day of its question too', async () => {
  const { key, say, machine, clock, days, contents } = await openDays()
  await say('first')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  clock.advance(pastBoundaryMs)
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: 'out of order' }))
  expect(await days(key)).toEqual([['2026-03-01', 'closed', 2]])
  expect((await contents(key, '2026-03-01'))[1]).toContain('out of order')
})

test('[DC6] an answer whose process was lost for the second time is of the day of its question too', async () => {
  const { key, say, machine, clock, days, contents } = await openDays()
  await say('first')
  const one = await bringUp(machine)
  await machine.turn()
  await machine.tell(exited(one, { exitCode: 1 }))
  const two = await bringUp(machine)
  await machine.turn()
  clock.advance(pastBoundaryMs)
  await machine.tell(exited(two, { exitCode: 1 }))
  expect(await days(key)).toEqual([['2026-03-01', 'closed', 2]])
  expect((await contents(key, '2026-03-01'))[1]).toContain('ended twice')
})

test('[DC6] the answer to another agent is of the day of its question too', async () => {
  const { room, server, machine, clock, agentSessions, days } = await openDays()
  const critic = { projectId: room.projectId, toAgentId: 'critic', content: 'ask the coder' }
  await server.ask('/api/chat', { method: 'POST', body: critic })
  const asking = await bringUp(machine)
  const asked = await machine.turn()
  const [own] = await agentSessions()
  const caller = { agentId: 'critic', projectId: room.projectId, agentSessionId: own.id }
  await server.store.run(sendMessage, {
    ...caller,
    toAgentId: 'coder',
    content: 'what do you know?',
  })
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  clock.advance(pastBoundaryMs)
  await machine.tell(said(launchId, turnId, 'this and that'), turnEnded(launchId, turnId))
  expect(await days(agentKey('coder', 'critic'))).toEqual([['2026-03-01', 'closed', 2]])
  await machine.tell(said(asking, asked.turnId, 'asked'), turnEnded(asking, asked.turnId))
  expect(await days(webKey(room.projectId, 'critic'))).toEqual([['2026-03-01', 'closed', 2]])
})

test('[CX14] a context begun on the next day is told that the day before can be read, though nobody made a summary of it', async () => {
  const { say, machine, clock, cutOver } = await openDays()
  await say('my name is Ada')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'hello Ada'), turnEnded(launchId, turnId))
  clock.advance(pastBoundaryMs)
  await cutOver()
  await say('who am I?')
  const { primer } = (await machine.turn()).context.open
  expect(primer).toContain('read it with the tool get_history (day: "2026-03-01")')
  expect(primer).not.toContain('Ada')
})
