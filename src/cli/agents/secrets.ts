/**
 * `holdfast secrets`: secrets of a project and the agents that get them. A value is read from
 * standard input or asked for, never an argument.
 */
import { visible } from '../../platform/log/visible.ts'
import type { Secret } from '../../protocol/agents/secret.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import { usage } from '../failure.ts'
import { projectOption, yesOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { readValue } from './read-value.ts'

const name = operand.required('letters, digits and _, as a variable is named')

const set = command({
  summary: 'Set a secret; its value is asked for, or read from standard input',
  operands: { name },
  options: {
    project: projectOption,
    agent: option.list('<agent>', 'an agent that gets it; can be repeated'),
    nobody: option.flag('no agent gets it; for the key of a gateway'),
    as: option.choice(
      '<form>',
      ['environment', 'file'],
      'how it is given; environment when left out',
    ),
    keepValue: option.flag('change only who gets it, and how'),
  },
  examples: [
    ['secrets set NPM_TOKEN --agent claude', 'as the variable NPM_TOKEN'],
    [
      'secrets set DEPLOY_KEY --as file --agent codex < id_ed25519',
      'as a file that DEPLOY_KEY_FILE names',
    ],
  ],
  async run(context, given) {
    const name = given.name
    if (name.includes('='))
      throw usage(
        'The value of a secret is no argument: others on this machine could read it.',
        'Give the name alone; the value is asked for, or read from standard input.',
      )
    const givenAs = given.as
    const { id: projectId } = await chooseProject(context)
    const params = { projectId, name }
    const existing = (
      await context.client.get('/api/projects/{projectId}/secrets', { params: { projectId } })
    ).items.find((each) => each.name === name)
    const form = givenAs ?? existing?.givenAs ?? 'environment'
    const value = given.keepValue
      ? undefined
      : await readValue(context.terminal, name, form === 'file')
    const secret = await context.client.put('/api/projects/{projectId}/secrets/{name}', {
      params,
      body: { value, givenAs, agentIds: given.nobody ? [] : given.agent },
    })
    context.finished(secret, `The secret ${context.paint('bold', name)} is set; ${givenTo(secret)}`)
  },
})

const givenTo = ({ name, givenAs, agentIds }: Secret): string =>
  agentIds.length === 0
    ? 'no agent gets it'
    : `${agentIds.join(', ')} ${agentIds.length === 1 ? 'gets' : 'get'} it as ${givenAs === 'file' ? `the file ${name}_FILE names` : `the variable ${name}`} from the next start on`

const list = command({
  summary: 'List the secrets of a project (the default)',
  options: { project: projectOption },
  examples: [['secrets list', 'names, agents and last use']],
  async run(context) {
    const { id: projectId } = await chooseProject(context)
    const { items } = await context.client.get('/api/projects/{projectId}/secrets', {
      params: { projectId },
    })
    context.answer({ items }, () =>
      context.table(items, {
        empty: 'No secrets. Set one: holdfast secrets set NAME --agent AGENT',
        columns: [
          { title: 'NAME', of: (each) => each.name, style: 'bold' },
          { title: 'GIVEN AS', of: (each) => each.givenAs },
          { title: 'AGENTS', of: (each) => each.agentIds.join(', ') || '–', shrinks: true },
          { title: 'CHANGED', of: (each) => context.ago(each.updatedAt), style: 'dim' },
          {
            title: 'LAST USE',
            of: (each) =>
              each.lastUse
                ? `${each.lastUse.agentId}, ${context.ago(each.lastUse.usedAt)}`
                : 'never',
          },
        ],
      }),
    )
  },
})

const uses = command({
  summary: 'Show which launches were given a secret, newest first',
  operands: { name },
  options: { project: projectOption },
  examples: [['secrets uses NPM_TOKEN', 'who had it, and when']],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const params = { projectId, name: given.name }
    const { items } = await context.client.get('/api/projects/{projectId}/secrets/{name}/uses', {
      params,
    })
    context.answer({ items }, () =>
      context.table(items, {
        empty: 'It was never used.',
        columns: [
          { title: 'AGENT', of: (each) => each.agentId, style: 'bold' },
          { title: 'AS', of: (each) => each.givenAs },
          { title: 'WHEN', of: (each) => context.ago(each.usedAt) },
          { title: 'LAUNCH', of: (each) => each.launchId, style: 'dim' },
        ],
      }),
    )
  },
})

const remove = command({
  summary: 'Remove a secret',
  operands: { name },
  options: { project: projectOption, yes: yesOption },
  examples: [['secrets remove NPM_TOKEN --yes', 'without being asked']],
  async run(context, given) {
    const { id: projectId } = await chooseProject(context)
    const name = given.name
    await context.confirm(
      `Remove the secret ${visible(name)}?`,
      'Agents that run keep it until they end; none gets it any more.',
    )
    await context.client.delete('/api/projects/{projectId}/secrets/{name}', {
      params: { projectId, name },
    })
    context.finished({ name, removed: true }, `Removed the secret ${visible(name)}`)
  },
})

export const secrets: CommandSpec = {
  summary: 'Secrets of a project, given to chosen agents',
  examples: [
    ['secrets', 'list them; never shows a value'],
    ['secrets set NPM_TOKEN --agent claude', 'asks for the value'],
  ],
  commands: { list, set, uses, remove },
}
