/**
 * SP2: from the first byte of `POST /api/chat` until an agent that waits in `get_next_action`
 * receives the message, which is durable by then. Beside a bare POST with one fdatasync, and beside
 * agents that ask each 5 s instead of waiting.
 */
import { join } from 'node:path'
import { durablePosts, messagesPerRound, rest } from './chat/durable-post.ts'
import { answerAll, type BenchAgent, type Office, openOffice } from './chat/office.ts'
import { meanDelayOfPollers, pollers } from './chat/polling.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'
import { median } from './harness/statistics.ts'

const pending = '"action":"get_pending_messages"'

function wakes(office: Office, agent: BenchAgent): Contender {
  let sent = 0
  return {
    name: 'holdfast',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < messagesPerRound; nth++) {
        const waiting = agent.connection.ask(agent.call('get_next_action', { wait_seconds: 50 }))
        await office.holds(1)
        const bytes = office.message(agent.id, `message ${++sent}`)
        await rest()
        const from = performance.now()
        const posted = office.person.ask(bytes)
        const received = await waiting
        times.push(performance.now() - from)
        if (!received.includes(pending)) throw new Error(`The agent was told ${received}`)
        await posted
        await answerAll(agent, 'thanks')
      }
      return median(times)
    },
  }
}

function polls(office: Office, agents: readonly BenchAgent[]): Contender {
  return {
    name: 'agents that poll each 5 s',
    round: async () => {
      for (const { id } of agents)
        await office.person.ask(office.message(id, 'a message like any other'))
      const delay = await meanDelayOfPollers(async (nth) => {
        const agent = agents[nth] as BenchAgent
        const received = await agent.connection.ask(agent.call('get_next_action'))
        if (!received.includes(pending)) throw new Error(`The agent was told ${received}`)
      })
      for (const agent of agents) await answerAll(agent, 'thanks')
      return delay
    },
  }
}

const beside = (
  title: string,
  limit: Comparison['goal'],
  other: 'bare' | 'polling',
): Comparison => ({
  title,
  unit: 'ms',
  goal: limit,
  prepare: async () => {
    const folder = benchFolder()
    const office = await openOffice(folder.path, 1 + pollers)
    const [waiting, ...polling] = office.agents
    const bare = await durablePosts(join(folder.path, 'posted'))
    return {
      ours: wakes(office, waiting as BenchAgent),
      yardstick: other === 'bare' ? bare : polls(office, polling),
      close: async () => {
        await Promise.all([office.close(), bare.close()])
        folder.remove()
      },
    }
  },
})

export const messageToAgent: readonly Comparison[] = [
  beside(
    '[SP2] a posted message, durable, told to a waiting agent',
    { kind: 'cost', limit: 1.5 },
    'bare',
  ),
  beside('[SP2] the same, beside agents that poll', { kind: 'peer', limit: 1 / 1000 }, 'polling'),
]
