/** `holdfast consoles`: lists consoles, for `attach` (US1). */
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import { type CommandSpec, command, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { limitOption, projectOption } from '../options-everywhere.ts'
import { namedProject, projectNames } from '../projects/choose-project.ts'

const list = command({
  summary: 'List the consoles, newest first: yours, or everybody’s for an owner (the default)',
  options: {
    project: projectOption,
    all: option.flag('those that have ended too'),
    limit: limitOption,
  },
  examples: [['consoles list --project website', 'of one project']],
  async run(context, given) {
    const nameOf = await projectNames(context)
    await context.printList(consolesIn(context, given.all), {
      empty: 'No console is open. Open one: holdfast run AGENT PROMPT --keep, or in the page.',
      columns: [
        { title: 'CONSOLE', of: ({ id }) => id, style: 'bold' },
        { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
        {
          title: 'STATE',
          of: ({ state }) => (state === 'ACTIVE' ? 'open' : 'ended'),
          style: ({ state }) => (state === 'ACTIVE' ? 'green' : 'dim'),
        },
        { title: 'AGENTS', of: agentsIn, shrinks: true },
        { title: 'OPENED', of: ({ createdAt }) => context.ago(createdAt), style: 'dim' },
        {
          title: 'LAST USED',
          of: (each) => context.ago(each.terminatedAt ?? each.lastActiveAt),
          style: 'dim',
        },
      ],
    })
  },
})

/** Lists running consoles first, then ended ones, the newest first. */
async function* consolesIn(
  context: CommandContext,
  all: boolean,
): AsyncGenerator<UserSession, void, undefined> {
  const projectId = (await namedProject(context))?.id
  for (const state of all ? (['ACTIVE', 'TERMINATED'] as const) : (['ACTIVE'] as const))
    yield* context.client.pages('/api/user-sessions', { query: { state, projectId } })
}

const agentsIn = ({ agents }: UserSession): string => {
  const each = agents.map(
    ({ role, agentId, state }) =>
      `${role} (${agentId}${state === 'ACTIVE' ? '' : `, ${state.toLowerCase()}`})`,
  )
  return each.join(', ') || '–'
}

export const consoles: CommandSpec = {
  summary: 'Consoles: agents in roles that a person speaks to',
  examples: [
    ['consoles', 'those that are open; `attach` follows one'],
    ['consoles --all --json', 'those that have ended too, for a program'],
  ],
  commands: { list },
}
