/**
 * `holdfast status`: a summary of pending decisions, interrupted work and agents at work, like the
 * page's home.
 */
import type { Client } from '../../client/client.ts'
import { readLiveAgentSessions, readLiveProcesses, runningAgents } from '../../client/running.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { command } from '../command.ts'
import { doingOf, durationOf, styleOf } from '../processes/process-words.ts'
import { projectNames } from '../projects/choose-project.ts'

const maxCounted = 200
const maxListed = 5

const countOf = ({
  items,
  nextCursor,
}: {
  items: readonly unknown[]
  nextCursor: string | null
}): string => (nextCursor === null ? String(items.length) : `more than ${items.length}`)

async function look(client: Client) {
  const page = { query: { limit: maxCounted } }
  const [me, waiting, interrupted, projects, coordinators, processes, agentSessions] =
    await Promise.all([
      client.get('/api/me'),
      client.get('/api/approvals', page),
      client.get('/api/sessions/interrupted', page),
      client.get('/api/projects', page),
      client.get('/api/coordinators', page),
      readLiveProcesses(client),
      readLiveAgentSessions(client),
    ])
  return {
    me,
    waiting,
    interrupted,
    projects,
    coordinators,
    running: runningAgents(processes, agentSessions),
  }
}

export const status = command({
  summary: 'What waits for a decision, what was interrupted, who is at work',
  examples: [
    ['status', 'in a few lines'],
    ['status --json', 'for a program'],
  ],
  async run(context) {
    const { me, waiting, interrupted, projects, coordinators, running } = await look(context.client)
    const nameOf = await projectNames(context)
    const now = systemClock.now()
    const atWork = running.map((each) => ({ ...each, doing: doingOf(each, coordinators.items) }))
    const answer = {
      url: context.client.url,
      me,
      waiting: waiting.items,
      interrupted: interrupted.items,
      running: atWork.map(({ agentId, projectId, doing, since }) => ({
        agentId,
        projectId,
        doing,
        since,
      })),
      coordinators: coordinators.items,
      projects: projects.items.map(({ id, name }) => ({ id, name })),
    }
    const then = (count: string, command: string): string =>
      count === '0'
        ? 'nothing'
        : `${count}  ${context.paint('dim', context.hint(`holdfast ${command}`))}`
    context.answer(answer, () => {
      const connected = coordinators.items
        .filter(({ state }) => state === 'connected')
        .map(({ machine }) => visible(machine))
      const facts = context.fields([
        ['Server', answer.url],
        ['You are', `${visible(me.name)} (${me.role ?? me.kind})`],
        [
          'Machines',
          connected.join(', ') ||
            context.hint('none connected, so no agent is started; `holdfast doctor` says more'),
        ],
        ['Projects', countOf(projects)],
        [
          me.scopes.includes('approve') ? 'Waiting for you' : 'Waiting for a decision',
          then(countOf(waiting), 'approvals'),
        ],
        ['Interrupted', then(countOf(interrupted), 'resume SESSION')],
        ['At work', running.length === 0 ? 'nobody' : then(String(running.length), 'agents watch')],
      ])
      const stopped = context.table(interrupted.items.slice(0, maxListed), {
        empty: '',
        columns: [
          { title: 'INTERRUPTED', of: ({ id }) => id, style: 'bold' },
          { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
          { title: 'ENDED', of: ({ endedAt, startedAt }) => context.ago(endedAt ?? startedAt) },
          { title: 'HOW IT STANDS', of: ({ stateSummary }) => stateSummary, shrinks: true },
        ],
      })
      const busy = context.table(atWork.slice(0, maxListed), {
        empty: '',
        columns: [
          { title: 'AT WORK', of: ({ agentId }) => agentId, style: 'bold', shrinks: true },
          { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
          {
            title: 'STATE',
            of: ({ doing }) => doing,
            style: (each) => styleOf(each, coordinators.items),
            shrinks: true,
          },
          { title: 'FOR', of: ({ since }) => durationOf(Date.parse(since), now) },
        ],
      })
      return [facts, stopped, busy].filter(Boolean).join('\n\n')
    })
  },
})
