/** Implementation of the commands about processes and coordinators. */
import type { Client } from '../../client/client.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { chooseProject, namedProject } from '../projects/choose-project.ts'
import { projectNames } from '../projects/project-names.ts'
import { fields, table } from '../table.ts'
import { exact, relative } from '../times.ts'
import { durationOf, standingOf, whyEnded } from './process-words.ts'

const pageSize = 200

const coordinatorsOf = async (client: Client): Promise<readonly Coordinator[]> =>
  (await client.get('/api/coordinators', { query: { limit: pageSize } })).items

export async function listProcesses(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const project = await namedProject(client, given)
  const [agentId, state] = [given.text('agent'), given.text('state') as Process['state'] | undefined]
  const query = {
    limit: pageSize,
    ...(project && { projectId: project.id }),
    ...(agentId !== undefined && { agentId }),
    ...(state !== undefined && { state }),
  }
  const { items, nextCursor, more } = await context.list(client.pages('/api/processes', { query }))
  const machines = await coordinatorsOf(client)
  const nameOf = await projectNames(context, client)
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? 'No process was found.'
      : table(
          items,
          [
            { title: 'LAUNCH', of: ({ launchId }) => launchId, style: 'dim' },
            { title: 'AGENT', of: (each) => each.agentId, style: 'bold' },
            { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
            { title: 'STATE', of: (each) => standingOf(each, machines) },
            { title: 'PID', of: ({ pid, endedAt }) => (pid === null || endedAt ? '–' : String(pid)) },
            { title: 'FOR', of: (each) => lasted(each, now) },
            { title: 'WHY', of: (each) => (each.state === 'ended' ? whyEnded(each) : (each.detail ?? '')), shrinks: true },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

function lasted({ startedAt, orderedAt, endedAt }: Process, now: number): string {
  if (endedAt && !startedAt) return '–'
  return durationOf(Date.parse(startedAt ?? orderedAt), endedAt ? Date.parse(endedAt) : now)
}

export async function showProcess(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const process = await client.get('/api/processes/{launchId}', { params: { launchId: given.operand(0) } })
  const machines = await coordinatorsOf(client)
  const now = systemClock.now()
  context.answer(process, () => {
    const { agentId, projectId, pid, coordinatorId, orderedAt, startedAt, endedAt, output } = process
    const machine = machines.find(({ id }) => id === coordinatorId)?.machine ?? coordinatorId
    const about = fields(
      [
        ['Agent', agentId],
        ['Project', projectId],
        ['State', standingOf(process, machines)],
        ...(process.state === 'ended' || process.detail ? [['Why', visible(whyEnded(process))] as const] : []),
        ['Pid', pid === null ? '–' : String(pid)],
        ['Coordinator', visible(machine)],
        ['Ordered', exact(orderedAt, now)],
        ['Started', startedAt ? exact(startedAt, now) : '–'],
        ['Ended', endedAt ? exact(endedAt, now) : '–'],
      ],
      context.paint,
    )
    const wrote = output === '' ? 'It has written nothing.' : output.trimEnd().split('\n').map(visible).join('\n')
    return `${context.paint('bold', process.launchId)}\n${about}\n\n${wrote}`
  })
}

export async function stopProcess(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const launchId = given.operand(0)
  const { agentId } = await client.get('/api/processes/{launchId}', { params: { launchId } })
  await context.confirm(`Stop ${visible(agentId)}?`, 'It is ended with all it has started. What it has not answered is kept.')
  const stopped = await client.post('/api/processes/{launchId}/stop', { params: { launchId } })
  context.finished(stopped, stopped.state === 'ended' ? `${visible(agentId)} is over` : `${visible(agentId)} is being stopped`)
}

/** Stops all processes of an agent, in one project or in all. */
export async function stopAgent(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const agent = await findByName('agent', given.operand(0), client.pages('/api/agents', { query: { limit: pageSize } }))
  const project = await namedProject(client, given)
  const living: Process[] = []
  for (const state of ['waiting', 'starting', 'running', 'held'] as const) {
    const query = { agentId: agent.id, state, limit: pageSize, ...(project && { projectId: project.id }) }
    living.push(...(await client.get('/api/processes', { query })).items)
  }
  if (living.length === 0) return context.finished({ items: [] }, `No process of ${visible(agent.id)} runs`)
  const count = living.length === 1 ? 'its process is' : `its ${living.length} processes are`
  await context.confirm(`Stop ${visible(agent.id)}?`, `${count} ended. What it has not answered is kept.`)
  const items: Process[] = []
  for (const { launchId } of living) items.push(await client.post('/api/processes/{launchId}/stop', { params: { launchId } }))
  context.finished({ items }, `${visible(agent.id)}: ${items.length === 1 ? 'one process' : `${items.length} processes`} stopped`)
}

export async function releaseAgent(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: agentId } = await findByName('agent', given.operand(0), client.pages('/api/agents', { query: { limit: pageSize } }))
  const { id: projectId } = await chooseProject(context, given, agentId)
  const params = { projectId, agentId }
  const answer = await client.post('/api/projects/{projectId}/agents/{agentId}/release', { params })
  const words = answer.process ? `${visible(agentId)} is tried again` : `${visible(agentId)} is not held`
  context.finished(answer, words)
}

export async function listCoordinators(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items, nextCursor } = await context.list(client.pages('/api/coordinators', { query: { limit: pageSize } }))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint(
          'No coordinator has joined, so no agent is started.\n`holdfast up` brings one; `holdfast coordinator` joins a machine.',
        )
      : table(
          items,
          [
            { title: 'ID', of: ({ id }) => id, style: 'dim' },
            { title: 'MACHINE', of: ({ machine }) => machine, style: 'bold', shrinks: true },
            { title: 'STATE', of: ({ state }) => state, style: (each) => stateStyles[each.state] },
            { title: 'PROCESSES', of: ({ processes }) => String(processes) },
            { title: 'VERSION', of: ({ version }) => version },
            { title: 'HEARD', of: ({ lastHeardAt }) => relative(lastHeardAt, now) },
          ],
          context.paint,
          context.width,
        ),
  )
}

const stateStyles = { connected: 'green', unreachable: 'yellow', stopped: 'dim' } as const

export async function takeOver(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const typed = given.operand(0)
  const found = (await coordinatorsOf(client)).filter(({ id, machine }) => id === typed || machine === typed)
  const [only, ...others] = found
  if (!only || others.length > 0) {
    const next = others.length > 0 ? 'Name it by its id.' : '`holdfast coordinators` lists them.'
    throw new CommandFailure(
      'notFound',
      `There ${others.length > 0 ? 'are several machines' : 'is no machine'} ${JSON.stringify(typed)}.`,
      next,
    )
  }
  await context.confirm(
    `Take over from ${visible(only.machine)}?`,
    'Its processes count as lost and their sessions end; should it come back, it is refused. Do it only if it will not.',
  )
  const params = { coordinatorId: only.id }
  const answer = await client.post('/api/coordinators/{coordinatorId}/takeover', { params })
  context.finished(answer, `Took over from ${visible(only.machine)}`)
}
