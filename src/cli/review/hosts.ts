/**
 * `holdfast hosts`: tokens for hosts that work is pushed to. A token is read from standard input or
 * asked for, never an argument.
 */
import type { HostKind } from '../../protocol/review/hosts.ts'
import { readValue } from '../agents/read-value.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'

const host = operand.required('its name, such as github.com, with its port where it has another')
const kinds = ['github', 'git'] as const satisfies readonly HostKind[]
const timeoutMs = 60_000

const forProject = option.text('<project>', 'of this project, by its id; your own when left out')

const add = command({
  summary: 'Set your token for a host; it is asked for, or read from standard input, and tried',
  operands: { host },
  options: { forProject, kind: option.choice('<kind>', kinds, 'github for github.com, else git') },
  examples: [['hosts add github.com', 'for pushes and pull requests of your landings']],
  async run(context, given) {
    const token = await readValue(context.terminal, `the token for ${given.host}`, false)
    const body = { token: token.trim(), kind: given.kind, projectId: given.forProject }
    const set = await context.client.put('/api/hosts/{host}', {
      params: { host: given.host },
      body,
      timeoutMs,
    })
    const account = set.account ? ` of ${set.account}` : ''
    context.finished(set, `The token${account} for ${context.paint('bold', set.host)} is set`)
  },
})

const list = command({
  summary: 'List the hosts that there is a token for (the default)',
  options: {},
  examples: [['hosts list', 'hosts, whose tokens, never the tokens']],
  async run(context) {
    const { items } = await context.client.get('/api/hosts', {})
    context.answer({ items }, () =>
      context.table(items, {
        empty: 'No hosts. Add one: holdfast hosts add github.com',
        columns: [
          { title: 'HOST', of: (each) => each.host, style: 'bold' },
          { title: 'KIND', of: (each) => each.kind },
          { title: 'ACCOUNT', of: (each) => each.account || '–' },
          { title: 'OF', of: (each) => each.projectId ?? 'you', shrinks: true },
          { title: 'SET', of: (each) => context.ago(each.setAt), style: 'dim' },
        ],
      }),
    )
  },
})

const remove = command({
  summary: 'Remove a token for a host',
  operands: { host },
  options: { forProject },
  examples: [['hosts remove github.com', 'yours']],
  async run(context, given) {
    await context.client.delete('/api/hosts/{host}', {
      params: { host: given.host },
      query: { projectId: given.forProject },
    })
    context.finished({ host: given.host }, `The token for ${given.host} is removed`)
  },
})

export const hosts: CommandSpec = {
  summary: 'Tokens for hosts that work is pushed to',
  examples: [
    ['hosts', 'list them; never shows a token'],
    ['hosts add github.com', 'asks for the token'],
  ],
  commands: { list, add, remove },
}
