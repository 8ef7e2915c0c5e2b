/** `holdfast agents`: the agents that can be started, and how. */

import { visible } from '../../platform/log/visible.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import { findAgent } from '../find-by-name.ts'
import { limitOption, projectOption, yesOption } from '../options-everywhere.ts'
import { releaseAgent, stopAgent } from '../processes/processes.ts'
import { projectNames } from '../projects/choose-project.ts'
import { add, edit } from './add-agent.ts'
import { describe, passkeyOnce, startLine } from './agent-details.ts'
import { agent } from './agent-options.ts'
import { detect } from './detect.ts'
import { doctorAgents } from './doctor-agents.ts'
import { signInCommands } from './sign-in.ts'
import { watchAgents } from './watch-agents.ts'

const listAgents = command({
  summary: 'List the agents, newest first (the default)',
  options: { limit: limitOption },
  examples: [['agents list', 'all of them']],
  async run(context) {
    await context.printList(context.client.pages('/api/agents'), {
      empty: 'No agents yet. Add one: holdfast agents add ID -- COMMAND',
      columns: [
        { title: 'ID', of: (each) => each.id, style: 'bold' },
        { title: 'NAME', of: (each) => each.name, shrinks: true },
        { title: 'PROTOCOL', of: (each) => each.protocol },
        { title: 'ROLE', of: (each) => each.role ?? '–' },
        { title: 'PROJECTS', of: (each) => String(each.projectIds.length) },
        { title: 'COMMAND', of: startLine, shrinks: true },
      ],
    })
  },
})

const showAgent = command({
  summary: 'Show one agent',
  operands: { agent },
  examples: [['agents show claude', 'how it is started; values of variables are never shown']],
  async run(context, given) {
    const agent = await findAgent(context.client, given.agent)
    const nameOf = await projectNames(context)
    context.answer(agent, () => describe(context, agent, nameOf))
  },
})

const remove = command({
  summary: 'Delete an agent and take it off its projects',
  operands: { agent },
  options: { yes: yesOption },
  examples: [['agents delete claude --yes', 'without being asked']],
  async run(context, given) {
    const { id } = await findAgent(context.client, given.agent)
    await context.confirm(
      `Delete the agent ${visible(id)}?`,
      'It is taken off its projects, and its passkey stops working.',
    )
    await context.client.delete('/api/agents/{agentId}', { params: { agentId: id } })
    context.finished({ id, deleted: true }, `Deleted the agent ${visible(id)}`)
  },
})

const passkey = command({
  summary: 'Replace the passkey; prints the new one once',
  operands: { agent },
  options: { yes: yesOption },
  examples: [['agents passkey claude', 'the old one stops working at once']],
  async run(context, given) {
    const { id } = await findAgent(context.client, given.agent)
    await context.confirm(
      `Replace the passkey of ${visible(id)}?`,
      'The old one stops working at once.',
    )
    const answer = await context.client.post('/api/agents/{agentId}/passkey', {
      params: { agentId: id },
    })
    context.done(`${visible(id)} has a new passkey`)
    context.answer(answer, () => passkeyOnce(context, id, answer.passkey))
  },
})

export const agents: CommandSpec = {
  summary: 'Agents: what can be started, and how',
  examples: [
    ['agents', 'list them'],
    ['agents add claude --protocol acp -- npx claude-code-acp', 'add one; prints its passkey once'],
  ],
  commands: {
    list: listAgents,
    show: showAgent,
    add,
    detect,
    doctor: command({
      summary:
        'Try out what an agent can do: it is started, prompted, asked, cancelled, ended and brought back',
      operands: {
        agent: operand.optional(
          'id, or name where only one has it; without it all that are prompted',
        ),
      },
      options: {
        prompt: option.text('<text>', 'what it is told to run, instead of a harmless command'),
      },
      examples: [
        ['agents doctor claude', 'each result as it comes; the report is kept with the agent'],
        ['agents doctor claude --json', 'the report; ends with 0 when the agent could be started'],
      ],
      run: doctorAgents,
    }),
    ...signInCommands,
    watch: command({
      summary: 'Watch who is at work: a live table, or a line for each change where nobody looks',
      options: { for: option.text('<seconds>', 'end after so long; without it Ctrl-C ends') },
      examples: [
        ['agents watch', 'a table that stays true'],
        ['agents watch --json --for 60', 'a minute of changes, a line of JSON each'],
      ],
      run: watchAgents,
    }),
    stop: command({
      summary: "Stop an agent's processes; it is started again when there is work",
      operands: { agent },
      options: { project: projectOption, yes: yesOption },
      examples: [
        ['agents stop claude', 'everywhere'],
        ['agents stop claude --project website --yes', 'in one project, without being asked'],
      ],
      run: (context, given) => stopAgent(context, given.agent),
    }),
    release: command({
      summary: 'Try an agent again that is held after too many failed starts',
      operands: { agent },
      options: { project: projectOption },
      examples: [['agents release claude', 'in its only project']],
      run: (context, given) => releaseAgent(context, given.agent),
    }),
    edit,
    delete: remove,
    passkey,
  },
}
