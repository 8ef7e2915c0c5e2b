/** `holdfast agents add` and `agents edit`. */
import { visible } from '../../platform/log/visible.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'
import { describe, passkeyOnce } from './agent-details.ts'
import { agent, agentOptions, changeOf, commandWords } from './agent-options.ts'
import { findDetected } from './detect.ts'

export const add = command({
  summary: 'Add an agent; prints its passkey once',
  operands: {
    id: operand.optional('lower-case letters, digits, - and _; with --detected its own'),
    command: commandWords,
  },
  options: {
    name: option.text('<name>', 'what to call it (its id)'),
    detected: option.text('<name>', 'one that `agents detect` has found, with its recipe'),
    ...agentOptions,
  },
  examples: [
    ['agents add claude --name "Claude Code" -- npx claude-code-acp', 'started by Holdfast'],
    ['agents add helper --protocol mcp', 'started by somebody else, asks for work'],
    ['agents add codex --env OPENAI_API_KEY -- codex-acp', 'with a key from this environment'],
    ['agents add --detected claude', 'one that is installed, with all it needs'],
  ],
  async run(context, given) {
    const detected = given.detected
    const id = given.id ?? detected
    if (id === undefined)
      throw usage(
        'The id of the agent is missing.',
        '`holdfast agents add --help` shows what can be said.',
      )
    const change = await changeOf(context, given)
    if (detected !== undefined && 'command' in change)
      throw usage(
        '--detected brings its own command.',
        'Leave out --detected, or what stands behind --.',
      )
    const found = detected === undefined ? undefined : await findDetected(context.client, detected)
    // What the person adds comes to the recipe's variables.
    const env = { ...found?.draft.env, ...change.env }
    const draft = { protocol: 'acp' as const, name: id, ...found?.draft, ...change, env, id }
    const body = { ...draft, ...(await chosenSandbox(context, draft)) }
    const { passkey: secret, ...agent } = await context.client.post('/api/agents', { body })
    context.done(`Added the agent ${context.paint('bold', visible(agent.id))}`)
    context.answer(
      { ...agent, passkey: secret },
      () => `${describe(context, agent)}\n${passkeyOnce(context, agent.id, secret)}`,
    )
    if (agent.neverAsks)
      context.note(
        `${visible(agent.name)} never asks for permission: it writes and runs what it wants.`,
      )
    if (!context.json) context.note(context.hint(nextFor(agent)))
  },
})

type SandboxDraft = Pick<Partial<Agent>, 'command' | 'args' | 'sandbox' | 'runsOn' | 'wrapper'> & {
  readonly id: string
}

/**
 * SB8: the sandbox of an agent for which none was said, tried first. Says what was chosen, and how
 * to choose otherwise.
 */
async function chosenSandbox(
  context: CommandContext,
  draft: SandboxDraft,
): Promise<Partial<Pick<Agent, 'sandbox'>>> {
  const { command, args = [], sandbox, runsOn, id, wrapper } = draft
  // Another machine cannot be tried from here.
  if (sandbox !== undefined || !command || runsOn) return {}
  const { machine, agent, choose } = await context.client.post('/api/sandbox-probe', {
    body: { command, args, ...(wrapper && { wrapper: [...wrapper] }) },
  })
  const later = `\`holdfast agents edit ${id} --sandbox workplace\``
  const why = !machine.works
    ? `${machine.problem ?? 'there is none for this system'}.${machine.install ? ` Install it: ${machine.install};` : ''} then`
    : agent.known
      ? 'its program did not start in one. To try it:'
      : 'its settings are not known. To put it in one:'
  context.note(
    choose === 'off'
      ? `It runs without a sandbox: ${why} ${later}.`
      : `It runs in a sandbox (${choose}), which was tried. Switch it off with \`holdfast agents edit ${id} --sandbox off\`.`,
  )
  return { sandbox: choose }
}

/** Hint after an agent was added: assign it to a project; an ACP agent must also be started. */
const nextFor = ({ id, protocol, command }: Agent): string =>
  protocol === 'acp' && !command
    ? `Nothing starts it yet, and one that speaks ACP is started by Holdfast: holdfast agents edit ${id} -- COMMAND`
    : `Let it work in a project: holdfast projects assign PROJECT ${id}`

export const edit = command({
  summary: 'Change an agent',
  operands: { agent, command: commandWords },
  options: {
    name: option.text('<name>', 'a new name'),
    ...agentOptions,
    noCommand: option.flag('others start it from now on'),
    removeEnv: option.list('<name>', 'no longer hand over this variable'),
  },
  examples: [
    ['agents edit claude --max-processes 4', 'at most four at once'],
    ['agents edit claude -- npx claude-code-acp --verbose', 'start it in another way'],
    [
      'agents edit claude --gateway https://api.anthropic.com --gateway-secret ANTHROPIC_KEY',
      'its key stays with Holdfast, and tokens are counted',
    ],
  ],
  async run(context, given) {
    const removed = given.removeEnv ?? []
    const change = await changeOf(context, given)
    if (Object.keys(change).length === 0 && removed.length === 0)
      throw usage(
        'There is nothing to change.',
        '`holdfast agents edit --help` shows what can be changed.',
      )
    const before = await findAgent(context.client, given.agent)
    // Values arrive masked; a mask sent back keeps the stored value.
    const remaining = Object.entries(before.env).filter(([name]) => !removed.includes(name))
    const env =
      change.env || removed.length > 0
        ? { ...Object.fromEntries(remaining), ...change.env }
        : undefined
    const body = { ...change, env }
    const agent = await context.client.patch('/api/agents/{agentId}', {
      params: { agentId: before.id },
      body,
    })
    context.done(`Changed the agent ${context.paint('bold', visible(agent.id))}`)
    context.answer(agent, () => describe(context, agent))
  },
})
