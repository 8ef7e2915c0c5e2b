/**
 * `holdfast processes` and `holdfast coordinators`: running processes and why others ended, and the
 * machines that run them.
 */

import type { Client } from '../../client/client.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { Process } from '../../protocol/processes/process.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { findAgent, findOne } from '../find-by-name.ts'
import { limitOption, projectOption, yesOption } from '../options-everywhere.ts'
import { chooseProject, namedProject, projectNames } from '../projects/choose-project.ts'
import { durationOf, standingOf, whyEnded } from './process-words.ts'

const launch = operand.required('its launch id')

const pageSize = 200

export const coordinatorsOf = async (client: Client): Promise<readonly Coordinator[]> =>
  (await client.get('/api/coordinators', { query: { limit: pageSize } })).items

const listProcesses = command({
  summary: 'List the processes, newest first (the default)',
  options: {
    project: projectOption,
    agent: option.text('<agent>', 'only of this agent, by its id'),
    state: option.choice(
      '<state>',
      ['waiting', 'starting', 'running', 'held', 'ended'],
      'only in this state',
    ),
    limit: limitOption,
  },
  examples: [
    ['processes list --state running', 'what runs now'],
    ['processes list --agent claude --json', 'for a program'],
  ],
  async run(context, given) {
    const query = {
      projectId: (await namedProject(context))?.id,
      agentId: given.agent,
      state: given.state,
    }
    const machines = await coordinatorsOf(context.client)
    const nameOf = await projectNames(context)
    await context.printList(context.client.pages('/api/processes', { query }), {
      empty: 'No process was found.',
      columns: [
        { title: 'LAUNCH', of: ({ launchId }) => launchId, style: 'dim' },
        { title: 'AGENT', of: (each) => each.agentId, style: 'bold' },
        { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
        { title: 'STATE', of: (each) => standingOf(each, machines) },
        { title: 'PID', of: ({ pid, endedAt }) => (pid === null || endedAt ? '–' : String(pid)) },
        { title: 'FOR', of: lasted },
        {
          title: 'WHY',
          of: (each) => (each.state === 'ended' ? whyEnded(each) : (each.detail ?? '')),
          shrinks: true,
        },
      ],
    })
  },
})

const lasted = ({ startedAt, orderedAt, endedAt }: Process): string =>
  endedAt && !startedAt
    ? '–'
    : durationOf(
        Date.parse(startedAt ?? orderedAt),
        endedAt ? Date.parse(endedAt) : systemClock.now(),
      )

const showProcess = command({
  summary: 'Show one process with the last lines it wrote',
  operands: { launch },
  examples: [
    ['processes show 01a1df6c-85eb-7d00-b850-eb617d850884', 'how it stands or why it ended'],
  ],
  async run(context, given) {
    const process = await context.client.get('/api/processes/{launchId}', {
      params: { launchId: given.launch },
    })
    const machines = await coordinatorsOf(context.client)
    context.answer(process, () => {
      const { agentId, projectId, pid, coordinatorId, orderedAt, startedAt, endedAt, output } =
        process
      const machine = machines.find(({ id }) => id === coordinatorId)?.machine ?? coordinatorId
      return context.details(
        process.launchId,
        [
          ['Agent', agentId],
          ['Project', projectId],
          ['State', standingOf(process, machines)],
          ...(process.state === 'ended' || process.detail
            ? [['Why', visible(whyEnded(process))] as const]
            : []),
          ['Pid', pid === null ? '–' : String(pid)],
          ['Coordinator', visible(machine)],
          ['Ordered', context.time(orderedAt)],
          ['Started', context.time(startedAt)],
          ['Ended', context.time(endedAt)],
        ],
        '',
        output === '' ? 'It has written nothing.' : visibleLines(output.trimEnd()),
      )
    })
  },
})

const stopProcess = command({
  summary: 'Stop one process, with everything it has started',
  operands: { launch },
  options: { yes: yesOption },
  examples: [['processes stop 01a1df6c-85eb-7d00-b850-eb617d850884 --yes', 'without being asked']],
  async run(context, given) {
    const launchId = given.launch
    const { agentId } = await context.client.get('/api/processes/{launchId}', {
      params: { launchId },
    })
    await context.confirm(
      `Stop ${visible(agentId)}?`,
      'It is ended with all it has started. What it has not answered is kept.',
    )
    const stopped = await context.client.post('/api/processes/{launchId}/stop', {
      params: { launchId },
    })
    context.finished(
      stopped,
      stopped.state === 'ended'
        ? `${visible(agentId)} is over`
        : `${visible(agentId)} is being stopped`,
    )
  },
})

/** Stops all processes of an agent, in one project or in all. */
export async function stopAgent(context: CommandContext, typed: string): Promise<void> {
  const agent = await findAgent(context.client, typed)
  const projectId = (await namedProject(context))?.id
  const living: Process[] = []
  for (const state of ['waiting', 'starting', 'running', 'held'] as const) {
    const query = { agentId: agent.id, projectId, state, limit: pageSize }
    living.push(...(await context.client.get('/api/processes', { query })).items)
  }
  if (living.length === 0)
    return context.finished({ items: [] }, `No process of ${visible(agent.id)} runs`)
  const count = living.length === 1 ? 'its process is' : `its ${living.length} processes are`
  await context.confirm(
    `Stop ${visible(agent.id)}?`,
    `${count} ended. What it has not answered is kept.`,
  )
  const items: Process[] = []
  for (const { launchId } of living)
    items.push(
      await context.client.post('/api/processes/{launchId}/stop', { params: { launchId } }),
    )
  context.finished(
    { items },
    `${visible(agent.id)}: ${items.length === 1 ? 'one process' : `${items.length} processes`} stopped`,
  )
}

export async function releaseAgent(context: CommandContext, typed: string): Promise<void> {
  const { id: agentId } = await findAgent(context.client, typed)
  const { id: projectId } = await chooseProject(context, agentId)
  const params = { projectId, agentId }
  const answer = await context.client.post('/api/projects/{projectId}/agents/{agentId}/release', {
    params,
  })
  const words = answer.process
    ? `${visible(agentId)} is tried again`
    : `${visible(agentId)} is not held`
  context.finished(answer, words)
}

const listCoordinators = command({
  summary: 'List the coordinators, the one that joined last first (the default)',
  options: { limit: limitOption },
  examples: [['coordinators list', 'state, processes, and when each was last heard of']],
  async run(context) {
    await context.printList(context.client.pages('/api/coordinators'), {
      empty:
        'No coordinator has joined, so no agent is started.\n`holdfast up` brings one; `holdfast coordinator` joins a machine.',
      columns: [
        { title: 'ID', of: ({ id }) => id, style: 'dim' },
        { title: 'MACHINE', of: ({ machine }) => machine, style: 'bold', shrinks: true },
        { title: 'STATE', of: ({ state }) => state, style: (each) => stateStyles[each.state] },
        { title: 'PROCESSES', of: ({ processes }) => String(processes) },
        { title: 'VERSION', of: ({ version }) => version },
        { title: 'HEARD', of: ({ lastHeardAt }) => context.ago(lastHeardAt) },
      ],
    })
  },
})

const stateStyles = { connected: 'green', unreachable: 'yellow', stopped: 'dim' } as const

const takeOver = command({
  summary: 'Give up a coordinator that will not come back; its work goes to others',
  operands: { coordinator: operand.required('its id, or its machine where only one has it') },
  options: { yes: yesOption },
  examples: [['coordinators take-over old-laptop --yes', 'without being asked']],
  async run(context, given) {
    const all = await coordinatorsOf(context.client)
    const only = await findOne('machine', given.coordinator, all, ({ id, machine }) => [
      [id],
      [machine],
    ])
    await context.confirm(
      `Take over from ${visible(only.machine)}?`,
      'Its processes count as lost and their sessions end; should it come back, it is refused. Do it only if it will not.',
    )
    const params = { coordinatorId: only.id }
    const answer = await context.client.post('/api/coordinators/{coordinatorId}/takeover', {
      params,
    })
    context.finished(answer, `Took over from ${visible(only.machine)}`)
  },
})

export const processCommands: CommandSpec = {
  summary: 'Processes of agents: what runs, and why the rest ended',
  examples: [
    ['processes', 'list them, newest first'],
    ['processes show LAUNCH', 'one of them, with the last lines it wrote'],
  ],
  commands: { list: listProcesses, show: showProcess, stop: stopProcess },
}

export const coordinatorCommands: CommandSpec = {
  summary: 'Machines that run agents: which can be reached',
  examples: [
    ['coordinators', 'list them'],
    ['coordinators take-over old-laptop', 'one that will not come back'],
  ],
  commands: { list: listCoordinators, 'take-over': takeOver },
}
