/** `holdfast consoles`: lists consoles, for `attach` (US1). */
import type { Client } from '../../client/client.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import type { CommandSpec, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { limitOption } from '../options-everywhere.ts'
import { namedProject, projectOption } from '../projects/choose-project.ts'
import { projectNames } from '../projects/project-names.ts'
import { table } from '../table.ts'
import { relative } from '../times.ts'

async function list(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const project = await namedProject(client, given)
  const { items, nextCursor, more } = await context.list(consolesIn(client, project?.id, given.flag('all')))
  const nameOf = await projectNames(context, client)
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint('No console is open. Open one: holdfast run AGENT PROMPT --keep, or in the page.')
      : table(
          items,
          [
            { title: 'CONSOLE', of: ({ id }) => id, style: 'bold' },
            { title: 'PROJECT', of: ({ projectId }) => nameOf(projectId), shrinks: true },
            {
              title: 'STATE',
              of: ({ state }) => (state === 'ACTIVE' ? 'open' : 'ended'),
              style: ({ state }) => (state === 'ACTIVE' ? 'green' : 'dim'),
            },
            { title: 'AGENTS', of: agentsIn, shrinks: true },
            { title: 'OPENED', of: ({ createdAt }) => relative(createdAt, now), style: 'dim' },
            { title: 'LAST USED', of: (each) => relative(each.terminatedAt ?? each.lastActiveAt, now), style: 'dim' },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

/** Lists running consoles first, then ended ones, the newest first. */
async function* consolesIn(
  client: Client,
  projectId: string | undefined,
  all: boolean,
): AsyncGenerator<UserSession, void, undefined> {
  for (const state of all ? (['ACTIVE', 'TERMINATED'] as const) : (['ACTIVE'] as const))
    yield* client.pages('/api/user-sessions', { query: { limit: 200, state, ...(projectId !== undefined && { projectId }) } })
}

const agentsIn = ({ agents }: UserSession): string => {
  const each = agents.map(
    ({ role, agentId, state }) => `${role} (${agentId}${state === 'ACTIVE' ? '' : `, ${state.toLowerCase()}`})`,
  )
  return each.join(', ') || '–'
}

export const consoles: CommandSpec = {
  name: 'consoles',
  summary: 'Consoles: agents in roles that a person speaks to',
  examples: [
    ['consoles', 'those that are open; `attach` follows one'],
    ['consoles --all --json', 'those that have ended too, for a program'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the consoles, newest first: yours, or everybody’s for an owner (the default)',
      options: [projectOption, { flags: '--all', about: 'those that have ended too' }, limitOption],
      examples: [['consoles list --project website', 'of one project']],
      isDefault: true,
      run: list,
    },
  ],
}
