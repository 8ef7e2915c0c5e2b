/**
 * `holdfast agents login` and `logout`: signs an ACP agent of the server's machine in or out (AC9,
 * AC13).
 */
import { visible } from '../../platform/log/visible.ts'
import { pause, systemClock } from '../../platform/time/clock.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { failed } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'

const lookMs = 500

/** Returns why it failed; null when it worked. */
async function begin(
  context: CommandContext,
  agentId: string,
  method: string,
): Promise<string | null> {
  const { client } = context
  const params = { agentId }
  let shown: string | undefined
  for (
    let attempt = await client.post('/api/agents/{agentId}/sign-in', { params, body: { method } });
    ;
  ) {
    const { state, visit, error } = attempt
    if (visit && visit.url !== shown)
      context.note(`${visible(visit.message)}\n${visible(visit.url)}`)
    shown = visit?.url
    if (state !== 'waiting') return error
    await pause(systemClock, lookMs)
    attempt = await client.get('/api/agents/{agentId}/sign-in', { params })
  }
}

const agent = operand.required('id, or name where only one has it')

export const signInCommands: Readonly<Record<'login' | 'logout', CommandSpec>> = {
  login: command({
    summary: "Sign an ACP agent of the server's machine in, by a way that it offers",
    operands: { agent },
    options: {
      method: option.text('<id>', 'which way; needed where it offers several'),
    },
    examples: [
      ['agents login codex', 'by the only way it offers, or a list of them'],
      ['agents login codex --method chatgpt', 'by this one'],
    ],
    async run(context, given) {
      const { id } = await findAgent(context.client, given.agent)
      const { ways } = await context.client.post('/api/agents/{agentId}/inspect', {
        params: { agentId: id },
        query: {},
      })
      const method = given.method
      const way =
        method === undefined
          ? ways.length === 1
            ? ways[0]
            : undefined
          : ways.find((each) => each.id === method)
      if (!way) {
        const lines = ways.map(
          (each) =>
            `  --method ${each.id}   ${each.name}${each.description ? `: ${each.description}` : ''}`,
        )
        const why =
          ways.length === 0
            ? 'offers no way to sign in'
            : method
              ? `has no way ${method} to sign in`
              : 'has several ways'
        const offers = ['It offers:', ...lines.map(visible)].join('\n')
        throw failed(`${visible(id)} ${visible(why)}.`, offers, 'no_such_way')
      }
      // The agent wrote the command, and the server may be another machine: a person looks at it
      // and runs it.
      if (way.command !== null)
        throw failed(
          `${visible(id)} is signed in at a terminal of its machine.`,
          `Run: ${visible(way.command)}`,
          'at_a_terminal',
        )
      const error = await begin(context, id, way.id)
      if (error !== null)
        throw failed(`${visible(id)} is not signed in: ${visible(error)}`, 'Try again.')
      context.finished(
        { id, method: way.id, signedIn: true },
        `${visible(id)} is signed in (${visible(way.name)})`,
      )
    },
  }),
  logout: command({
    summary: "Sign an ACP agent of the server's machine out, where it offers that",
    operands: { agent },
    examples: [['agents logout codex', 'it asks to sign in at its next start']],
    async run(context, given) {
      const { id } = await findAgent(context.client, given.agent)
      await context.client.post('/api/agents/{agentId}/sign-out', { params: { agentId: id } })
      context.finished({ id, signedIn: false }, `${visible(id)} is signed out`)
    },
  }),
}
