/** `holdfast agents login` and `logout`: signs an ACP agent of this machine in or out (AC9). */
import type { AgentSignIn } from '../../compose/agent-sign-in.ts'
import { visible } from '../../platform/log/visible.ts'
import { type CommandSpec, command } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, failed } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'

async function withAgent<Answer>(
  context: CommandContext,
  work: (agent: AgentSignIn, id: string) => Promise<Answer>,
): Promise<Answer> {
  const { id, protocol, command, args, env } = await findAgent(context.client, context.operand(0))
  if (protocol !== 'acp' || command === null)
    throw failed(`${visible(id)} is not prompted over ACP.`, 'Sign in with its own program.', 'wrong_state')
  const here = context.terminal.env
  const left = Object.keys(env).filter((name) => here[name] === undefined)
  if (left.length > 0)
    context.note(`Its entry sets ${left.join(', ')}, whose values stay on the server. Set them here if signing in needs them.`)
  const { AgentSignIn } = await import('../../compose/agent-sign-in.ts')
  const agent = new AgentSignIn({ command, args, env: here })
  try {
    await agent.open()
    return await work(agent, id)
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw failed(`${visible(id)}: ${visible(why)}`, 'Try its own program to sign in.')
  } finally {
    await agent.close()
  }
}

const login = (context: CommandContext): Promise<void> =>
  withAgent(context, async (agent, id) => {
    const { ways } = agent
    const asked = context.text('method')
    const way = asked === undefined ? (ways.length === 1 ? ways[0] : undefined) : ways.find((each) => each.id === asked)
    if (!way) {
      const lines = ways.map((each) => `  --method ${each.id}   ${each.name}${each.description ? `: ${each.description}` : ''}`)
      const why = ways.length === 0 ? 'offers no way to sign in' : asked ? `has no way ${asked} to sign in` : 'has several ways'
      throw failed(`${visible(id)} ${visible(why)}.`, ['It offers:', ...lines.map(visible)].join('\n'), 'no_such_way')
    }
    const worked = await agent.signIn(way, (line) => context.note(`Running ${visible(line)}`))
    if (!worked) throw failed(`${visible(id)} is not signed in: its program has failed.`, 'Try again.')
    context.finished({ id, method: way.id, signedIn: true }, `${visible(id)} is signed in (${visible(way.name)})`)
  })

const logout = (context: CommandContext): Promise<void> =>
  withAgent(context, async (agent, id) => {
    if (!agent.canSignOut) throw failed(`${visible(id)} cannot be signed out from here.`, 'Use its own program.', 'not_offered')
    await agent.signOut()
    context.finished({ id, signedIn: false }, `${visible(id)} is signed out`)
  })

const operands = [{ name: 'agent', about: 'id, or name where only one has it' }]

export const signInCommands: Readonly<Record<'login' | 'logout', CommandSpec>> = {
  login: command(
    'Sign an ACP agent of this machine in, by a way that it offers',
    login,
    [...operands, { flags: '--method <id>', about: 'which way; needed where it offers several' }],
    ['agents login codex', 'by the only way it offers, or a list of them'],
    ['agents login codex --method chatgpt', 'by this one'],
  ),
  logout: command(
    'Sign an ACP agent of this machine out, where it offers that',
    logout,
    [...operands],
    ['agents logout codex', 'it asks to sign in at its next start'],
  ),
}
