/** `holdfast secrets`: secrets of a project and the agents that get them. A value is read from standard input or asked for, never an argument. */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { visible } from '../../platform/log/visible.ts'
import type { Secret, SecretForm } from '../../protocol/agents/secret.ts'
import { command, group } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { yesOption } from '../options-everywhere.ts'
import { chooseProject, projectOption } from '../projects/choose-project.ts'
import { isInteractive, type Terminal } from '../terminal.ts'

/** One line of a person at a terminal, not shown while it is typed; elsewhere all of standard input. */
async function readValue(terminal: Terminal, name: string, isFile: boolean): Promise<string> {
  // A file keeps its last newline, which key files need; a variable never has one that was only typed.
  if (!isInteractive(terminal))
    return (await readAll(terminal.stdin)).replace(isFile ? /^$/ : /\r?\n$/, '')
  terminal.stderr.write(`Value of ${visible(name)} (not shown): `)
  const lines = createInterface({ input: terminal.stdin, terminal: true })
  try {
    const answer = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])])
    return String(answer[0])
  } finally {
    lines.close()
    terminal.stderr.write('\n')
  }
}

async function set(context: CommandContext): Promise<void> {
  const name = context.operand(0)
  if (name.includes('='))
    throw usage(
      'The value of a secret is no argument: others on this machine could read it.',
      'Give the name alone; the value is asked for, or read from standard input.',
    )
  const givenAs = context.text('as') as SecretForm | undefined
  const { id: projectId } = await chooseProject(context)
  const params = { projectId, name }
  const known = (
    await context.client.get('/api/projects/{projectId}/secrets', { params: { projectId } })
  ).items.find((each) => each.name === name)
  const form = givenAs ?? known?.givenAs ?? 'environment'
  const value = context.flag('keep-value')
    ? undefined
    : await readValue(context.terminal, name, form === 'file')
  const secret = await context.client.put('/api/projects/{projectId}/secrets/{name}', {
    params,
    body: { value, givenAs, agentIds: context.flag('nobody') ? [] : context.values('agent') },
  })
  context.finished(secret, `The secret ${context.paint('bold', name)} is set; ${givenTo(secret)}`)
}

const givenTo = ({ name, givenAs, agentIds }: Secret): string =>
  agentIds.length === 0
    ? 'no agent gets it'
    : `${agentIds.join(', ')} ${agentIds.length === 1 ? 'gets' : 'get'} it as ${givenAs === 'file' ? `the file ${name}_FILE names` : `the variable ${name}`} from the next start on`

async function list(context: CommandContext): Promise<void> {
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
            each.lastUse ? `${each.lastUse.agentId}, ${context.ago(each.lastUse.usedAt)}` : 'never',
        },
      ],
    }),
  )
}

async function uses(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const params = { projectId, name: context.operand(0) }
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
}

async function remove(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const name = context.operand(0)
  await context.confirm(
    `Remove the secret ${visible(name)}?`,
    'Agents that run keep it until they end; none gets it any more.',
  )
  await context.client.delete('/api/projects/{projectId}/secrets/{name}', {
    params: { projectId, name },
  })
  context.finished({ name, removed: true }, `Removed the secret ${visible(name)}`)
}

const name = { name: 'name', about: 'letters, digits and _, as a variable is named' }

export const secrets = group`
  Secrets of a project, given to chosen agents
  $ secrets  list them; never shows a value
  $ secrets set NPM_TOKEN --agent claude  asks for the value
`({
  list: command(list, projectOption)`
    List the secrets of a project (the default)
    $ secrets list  names, agents and last use`,
  set: command(set, name, projectOption)`
    Set a secret; its value is asked for, or read from standard input
    --agent <agent>...  an agent that gets it; can be repeated
    --nobody  no agent gets it; for the key of a gateway
    --as <form>  how it is given; environment when left out ${['environment', 'file']}
    --keep-value  change only who gets it, and how
    $ secrets set NPM_TOKEN --agent claude  as the variable NPM_TOKEN
    $ secrets set DEPLOY_KEY --as file --agent codex < id_ed25519  as a file that DEPLOY_KEY_FILE names`,
  uses: command(uses, name, projectOption)`
    Show which launches were given a secret, newest first
    $ secrets uses NPM_TOKEN  who had it, and when`,
  remove: command(remove, name, projectOption, yesOption)`
    Remove a secret
    $ secrets remove NPM_TOKEN --yes  without being asked`,
})
