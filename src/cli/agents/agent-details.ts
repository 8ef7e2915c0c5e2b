/** An agent in words, and its passkey. */
import { visible } from '../../platform/log/visible.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import { secretOnce } from '../access/secret-once.ts'
import type { CommandContext } from '../context.ts'

export const startLine = ({ command, args }: Agent): string =>
  command ? [command, ...args].join(' ') : '–'

export const describe = (
  context: CommandContext,
  agent: Agent,
  nameOf = (projectId: string): string => projectId,
): string =>
  context.details(agent.name, [
    ['Id', agent.id],
    ['Protocol', agent.protocol],
    ['Command', agent.command ? visible(startLine(agent)) : 'others start it'],
    ['Variables', Object.keys(agent.env).join(', ') || '–'],
    ['Role', visible(agent.role ?? '–')],
    ['At once', agent.maxProcesses === null ? 'no limit of its own' : String(agent.maxProcesses)],
    ['Runs on', agent.runsOn === null ? 'any machine' : `machines with the label ${agent.runsOn}`],
    ['Sandbox', isolationLine(agent)],
    ...mixing(agent),
    ['Held for', `${agent.holdSeconds} s`],
    ['Projects', agent.projectIds.map((id) => visible(nameOf(id))).join(', ') || '–'],
    ['Created', context.time(agent.createdAt)],
  ])

const mixing = ({ mixesConversations }: Agent): [string, string][] =>
  mixesConversations ? [['Conversations', 'one in each process, since it mixes them']] : []

const isolationLine = ({ sandbox, allow, wrapper, gateway }: Agent): string =>
  [
    sandbox,
    ...(allow.folders.length > 0 ? [`reads ${visible(allow.folders.join(', '))}`] : []),
    ...(allow.hosts.length > 0 ? [`reaches ${visible(allow.hosts.join(', '))}`] : []),
    ...(allow.state.length > 0 ? [`begins with ${visible(allow.state.join(', '))}`] : []),
    ...(wrapper ? [`behind ${visible(wrapper.join(' '))}`] : []),
    ...(gateway
      ? [
          `reaches its model at ${visible(gateway.upstream)} with the secret ${visible(gateway.secret)}`,
        ]
      : []),
  ].join('; ')

export const passkeyOnce = (context: CommandContext, id: string, secret: string): string =>
  secretOnce(
    context,
    'Passkey',
    secret,
    `The agent authenticates with it; \`holdfast agents passkey ${id}\` makes a new one.`,
  )
