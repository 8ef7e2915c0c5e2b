/**
 * `holdfast run`: one prompt to an agent, in a session that it begins (SN2), or in a role of a
 * console (US). Prints the agent's text as it arrives; the exit code tells how it ended. Survives
 * lost connections; Ctrl-C cancels the turn.
 */

import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { Client } from '../../client/client.ts'
import { openRelay } from '../../client/relay.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { runInSession } from '../conversations/run-session.ts'
import { failed, signedOut, usage } from '../failure.ts'
import { projectOption } from '../options-everywhere.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { readAttachment } from './attachment.ts'
import { findConsole } from './find-console.ts'
import { RelayLines } from './relay-lines.ts'
import { type RoleInConsole, runTurn, type TurnGiven } from './run-turn.ts'

interface Run extends TurnGiven {
  /** One that is open already; left out, one of its own. */
  readonly console: UserSession | undefined
  readonly projectId: string
  readonly keep: boolean
}

async function runAgent(context: CommandContext, run: Run): Promise<void> {
  const lines = new RelayLines(context, false)
  const over = Promise.withResolvers<never>()
  over.promise.catch(() => {})
  const relay = openRelay({
    ...(await context.connection()),
    onState: ({ state }) => {
      if (state === 'reconnecting') lines.note('The connection is lost; trying again.')
      // No further event comes after this.
      if (state === 'signed-out') over.reject(signedOut())
    },
  })
  context.end()
  try {
    if (run.console)
      return await runTurn(
        context,
        relay,
        { ...roleIn(run.console, run), over: over.promise },
        run,
        lines,
      )
    const userSessionId = await relay.create(run.projectId)
    try {
      await runTurn(
        context,
        relay,
        { userSessionId, lastSeq: 0, agent: undefined, over: over.promise },
        run,
        lines,
      )
      if (!run.keep) await completeWork(context.client, userSessionId, run.role).catch(() => {})
    } finally {
      lines.endLine()
      if (run.keep) lines.note(context.hint(`Kept: holdfast attach ${userSessionId}`))
      // If this fails, the session ends by itself later.
      else
        await relay.request({ type: 'session:terminate', sessionId: userSessionId }).catch(() => {})
    }
  } finally {
    lines.endLine()
    relay.close()
  }
}

/** The role in a console that is open already, which stays open. */
function roleIn(userSession: UserSession, { role, agentId }: Run): Omit<RoleInConsole, 'over'> {
  const { id: userSessionId, headSeq: lastSeq, state, agents } = userSession
  if (state !== 'ACTIVE')
    throw failed(
      'This console has ended.',
      '`holdfast consoles` lists those that are open.',
      'user_session_terminated',
    )
  const agent = agents.find((each) => each.role === role)
  if (agent && agent.agentId !== agentId)
    throw failed(
      `The role ${role} of this console is held by ${agent.agentId}.`,
      'Name that agent, or another --role.',
      'role_taken',
    )
  return { userSessionId, lastSeq, agent: agent?.state === 'FAILED' ? undefined : agent }
}

/**
 * Marks the work as completed, so that the end of the console does not count as an interruption.
 */
async function completeWork(client: Client, userSessionId: string, role: string): Promise<void> {
  const { projectId, agents } = await client.get('/api/user-sessions/{userSessionId}', {
    params: { userSessionId },
  })
  const workSessionId = agents.find((each) => each.role === role)?.workSessionId
  if (!workSessionId) return
  const params = { projectId, workSessionId }
  await client.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
    params,
    body: { completed: true },
  })
}

const defaultRole = 'run'

async function promptOf({ terminal: { stdin } }: CommandContext, typed: string | undefined) {
  if (typed !== undefined && typed !== '-') return typed
  return typed === undefined && stdin.isTTY ? '' : readAll(stdin)
}

export const run = command({
  summary: 'Begin a session with one prompt and print what its agent says as it comes',
  operands: {
    agent: operand.required('id of an agent that speaks ACP'),
    prompt: operand.optional('what to say; left out or -, it is read from standard input'),
  },
  options: {
    project: projectOption,
    console: option.text(
      '<console>',
      'in a console instead, which is open already, by its id or the end of it; it stays open',
    ),
    role: option.text(
      '<role>',
      `in a console instead of a session: what it is called there; names its branch (${defaultRole})`,
    ),
    workspace: option.text(
      '<path>',
      'in a console: its folder below that of the console; named after the role when left out',
    ),
    mode: option.text('<mode>', 'the mode it works in, of those it offers'),
    model: option.text('<model>', 'the model it uses, of those it offers'),
    attach: option.list('<file>', 'a picture or a text file that goes with the prompt'),
    allow: option.flag('allow, once each, whatever it asks for'),
    goOn: option.flag('at the limit of its vendor, wait until that is over and go on'),
    keep: option.flag('in a console, which stays open afterwards, to attach to it'),
  },
  examples: [
    ['run demo "Say hello"', 'ask and print the answer; the exit code tells how it ended'],
    [
      'run claude --console 4d2f1a --role reviewer "Look at the diff"',
      'speak to a role of a console that is open, or fill it',
    ],
    [
      'run claude --allow "Fix the failing test" --project website',
      'let it do what it asks for; the session goes on with `holdfast sessions`',
    ],
    ['run demo --json < prompt.txt', 'every event as a line of JSON'],
  ],
  async run(context, given) {
    const agentId = given.agent
    const prompt = (await promptOf(context, given.prompt)).trim()
    if (prompt === '')
      throw usage(
        'There is nothing to say to it.',
        `Say it: holdfast run ${agentId} "…", or pipe it in.`,
      )
    const named = given.console
    const console = named === undefined ? undefined : await findConsole(context.client, named)
    const { id: projectId } = console
      ? { id: console.projectId }
      : await chooseProject(context, agentId)
    const role = given.role ?? defaultRole
    const workspace = given.workspace
    const attached = await Promise.all(
      (given.attach ?? []).map((path) => readAttachment(resolve(context.terminal.cwd, path))),
    )
    const { allow, goOn, keep, mode, model } = given
    const turnGiven = { projectId, agentId, prompt, attached, mode, model, allow, goOn }
    const isConsole = keep || [named, given.role, workspace].some((each) => each !== undefined)
    if (!isConsole && (await runInSession(context, turnGiven))) return
    await runAgent(context, { ...turnGiven, console, role, workspace, keep })
  },
})
