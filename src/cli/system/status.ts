/** `holdfast status`: a summary of pending decisions, interrupted work and agents at work, like the page's home. */
import type { Client } from '../../client/client.ts'
import { readLiveAgentSessions, readLiveProcesses, runningAgents } from '../../client/running.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { CommandSpec } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { doingOf, durationOf, styleOf } from '../processes/process-words.ts'
import { projectNames } from '../projects/project-names.ts'
import { fields, table } from '../table.ts'
import { relative } from '../times.ts'

/** Upper bound counted per list. */
const maxCounted = 200
/** Upper bound shown per list. */
const maxListed = 5

const countOf = ({ items, nextCursor }: { items: readonly unknown[]; nextCursor: string | null }): string =>
  nextCursor === null ? String(items.length) : `more than ${items.length}`

async function look(client: Client) {
  const page = { query: { limit: maxCounted } }
  const [me, waiting, interrupted, projects, coordinators, processes, agentSessions] = await Promise.all([
    client.get('/api/me'),
    client.get('/api/approvals', page),
    client.get('/api/sessions/interrupted', page),
    client.get('/api/projects', page),
    client.get('/api/coordinators', page),
    readLiveProcesses(client),
    readLiveAgentSessions(client),
  ])
  return { me, waiting, interrupted, projects, coordinators, running: runningAgents(processes, agentSessions) }
}

async function showStatus(context: CommandContext): Promise<void> {
  const [{ url }, client] = await Promise.all([context.connection(), context.client()])
  const { me, waiting, interrupted, projects, coordinators, running } = await look(client)
  const nameOf = await projectNames(context, client)
  const now = systemClock.now()
  const atWork = running.map((each) => ({ ...each, doing: doingOf(each, coordinators.items) }))
  const answer = {
    url,
    me,
    waiting: waiting.items,
    interrupted: interrupted.items,
    running: atWork.map(({ agentId, projectId, doing, since }) => ({ agentId, projectId, doing, since })),
    coordinators: coordinators.items,
    projects: projects.items.map(({ id, name }) => ({ id, name })),
  }
  const then = (count: string, command: string): string =>
    count === '0' ? 'nothing' : `${count}  ${context.paint('dim', context.hint(`holdfast ${command}`))}`
  context.answer(answer, () => {
    const connected = coordinators.items.filter(({ state }) => state === 'connected').map(({ machine }) => visible(machine))
    const facts = fields(
      [
        ['Server', url],
        ['You are', `${visible(me.name)} (${me.role ?? me.kind})`],
        ['Machines', connected.join(', ') || context.hint('none connected, so no agent is started; `holdfast doctor` says more')],
        ['Projects', countOf(projects)],
        [me.scopes.includes('approve') ? 'Waiting for you' : 'Waiting for a decision', then(countOf(waiting), 'approvals')],
        ['Interrupted', then(countOf(interrupted), 'resume SESSION')],
        ['At work', running.length === 0 ? 'nobody' : then(String(running.length), 'agents watch')],
      ],
      context.paint,
    )
    const parts = [facts]
    if (interrupted.items.length > 0)
      parts.push(
        table(
          interrupted.items.slice(0, maxListed),
          [
            { title: 'INTERRUPTED', of: ({ id }) => id, style: 'bold' },
            { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
            { title: 'ENDED', of: ({ endedAt, startedAt }) => relative(endedAt ?? startedAt, now) },
            { title: 'HOW IT STANDS', of: ({ stateSummary }) => stateSummary, shrinks: true },
          ],
          context.paint,
          context.width,
        ),
      )
    if (atWork.length > 0)
      parts.push(
        table(
          atWork.slice(0, maxListed),
          [
            { title: 'AT WORK', of: ({ agentId }) => agentId, style: 'bold', shrinks: true },
            { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
            { title: 'STATE', of: ({ doing }) => doing, style: (each) => styleOf(each, coordinators.items), shrinks: true },
            { title: 'FOR', of: ({ since }) => durationOf(Date.parse(since), now) },
          ],
          context.paint,
          context.width,
        ),
      )
    return parts.join('\n\n')
  })
}

export const status: CommandSpec = {
  name: 'status',
  summary: 'What waits for a decision, what was interrupted, who is at work',
  examples: [
    ['status', 'in a few lines'],
    ['status --json', 'for a program'],
  ],
  run: showStatus,
}
