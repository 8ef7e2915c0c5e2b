/**
 * SP3: from the first byte of an agent's `respond_chat` until a browser that follows the chat has
 * the answer, which is durable by then. Beside a bare POST with one fdatasync, and beside browsers
 * that ask each 5 s instead of following.
 */
import { join } from 'node:path'
import { durablePosts, messagesPerRound, rest } from './chat/durable-post.ts'
import { type BenchAgent, type Office, openOffice } from './chat/office.ts'
import { meanDelayOfPollers } from './chat/polling.ts'
import type { Comparison, Contender } from './harness/comparison.ts'
import { Ear } from './harness/ear.ts'
import { benchFolder } from './harness/folder.ts'
import { requestBytes } from './harness/keep-alive.ts'
import { median } from './harness/statistics.ts'

async function asked({ person, message }: Office, agent: BenchAgent): Promise<void> {
  await person.ask(message(agent.id, 'a question'))
  await agent.tell('get_pending_messages')
}

function shows(office: Office, agent: BenchAgent, browser: Ear): Contender {
  let answers = 0
  return {
    name: 'holdfast',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < messagesPerRound; nth++) {
        await asked(office, agent)
        const content = `answer ${++answers} of many`
        const bytes = agent.call('respond_chat', { content })
        const shown = browser.hears(`"content":"${content}"`)
        await rest()
        const from = performance.now()
        const answered = agent.connection.ask(bytes)
        await shown
        times.push(performance.now() - from)
        await answered
      }
      return median(times)
    },
  }
}

function polls(office: Office, agent: BenchAgent): Contender {
  const path = `/api/projects/${office.projectId}/agents/${agent.id}/messages?limit=50`
  const look = requestBytes('GET', path, undefined, { token: office.token })(office.person.port)
  let answers = 0
  return {
    name: 'browsers that poll each 5 s',
    round: async () => {
      await asked(office, agent)
      const content = `polled answer ${++answers}`
      await agent.tell('respond_chat', { content })
      return meanDelayOfPollers(async () => {
        if (!(await office.person.ask(look)).includes(content))
          throw new Error('The answer is not in the chat')
      })
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
    const office = await openOffice(folder.path)
    const agent = office.agents[0] as BenchAgent
    const stream = encodeURIComponent(`conversation:web:${office.projectId}.${agent.id}`)
    const browser = await Ear.open(
      office.server.port,
      `/api/events?streams=${stream}`,
      office.token,
    )
    const bare = await durablePosts(join(folder.path, 'posted'))
    return {
      ours: shows(office, agent, browser),
      yardstick: other === 'bare' ? bare : polls(office, agent),
      close: async () => {
        browser.close()
        await Promise.all([office.close(), bare.close()])
        folder.remove()
      },
    }
  },
})

export const answerToBrowser: readonly Comparison[] = [
  beside("[SP3] an agent's answer, durable, in a browser", { kind: 'cost', limit: 1.5 }, 'bare'),
  beside('[SP3] the same, beside browsers that poll', { kind: 'peer', limit: 1 / 1000 }, 'polling'),
]
