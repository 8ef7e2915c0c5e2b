/**
 * `holdfast attach`: follows a console from its latest turns (CL1, US3); typed lines go to an
 * agent. Leaving ends nothing.
 */
import { createInterface } from 'node:readline'
import { openRelay, type Relay } from '../../client/relay.ts'
import type { RelayEvent, RelayRequest, RelaySnapshot } from '../../client/relay-messages.ts'
import { visible } from '../../platform/log/visible.ts'
import { type Asked, answersOf, callLines, optionLine } from '../approvals/ask-permission.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { leftBy, notFound, signedOut } from '../failure.ts'
import { isInteractive } from '../terminal.ts'
import { findConsole } from './find-console.ts'
import { RelayLines } from './relay-lines.ts'

const lastTurns = 5

async function attachConsole(
  context: CommandContext,
  userSessionId: string,
  role: string | undefined,
): Promise<void> {
  const lines = new RelayLines(context, true)
  const sight = new ConsoleState(role)
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const relay = openRelay({
    ...(await context.connection()),
    onState: ({ state }) => {
      if (state === 'reconnecting') lines.note('The connection is lost; trying again.')
      if (state === 'signed-out') reject(signedOut())
    },
  })
  context.end()
  const stopListening = context.onUnread(resolve)
  relay.follow({
    userSessionId,
    onEvent: (event) => {
      sight.take(event)
      lines.show(event)
      if (event.type === 'permission:requested') lines.note(questionOf(event))
      if (event.type === 'session:terminated') resolve()
    },
    onSnapshot: (snapshot) => {
      sight.begin(snapshot)
      if (!context.json) showSnapshot(snapshot, lines)
      for (const request of sight.asked.values()) lines.note(questionOf(request))
      if (snapshot.state === 'TERMINATED') resolve()
    },
    onRefused: (problem) => reject(notFound(problem.detail, problem.next, problem.code)),
  })
  const stopReading =
    isInteractive(context.terminal) && !context.json
      ? readLines(context, relay, userSessionId, sight, lines, { resolve, reject })
      : () => {}
  try {
    await over
  } finally {
    stopListening()
    lines.endLine()
    stopReading()
    relay.close()
  }
}

/** Roles of the session, the selected one, and pending questions. */
class ConsoleState {
  readonly roles = new Set<string>()
  readonly asked = new Map<number, Asked>()
  chosen: string | undefined

  constructor(chosen: string | undefined) {
    this.chosen = chosen
  }

  /** Returns undefined when several roles could be meant. */
  get role(): string | undefined {
    return this.chosen ?? (this.roles.size === 1 ? [...this.roles][0] : undefined)
  }

  begin({ agents, sessionId: userSessionId }: RelaySnapshot): void {
    this.roles.clear()
    const event = {
      type: 'permission:requested',
      sessionId: userSessionId,
      seq: 0,
      timestamp: '',
    } as const
    for (const { role, permissions } of agents) {
      this.roles.add(role)
      for (const each of permissions) this.asked.set(each.approvalId, { ...event, ...each, role })
    }
  }

  take(event: RelayEvent): void {
    if (event.type === 'agent:spawning') this.roles.add(event.role)
    if (event.type === 'agent:terminated') this.roles.delete(event.role)
    if (event.type === 'permission:requested') this.asked.set(event.approvalId, event)
    if (event.type === 'permission:resolved') this.asked.delete(event.approvalId)
  }
}

const questionOf = (request: Asked): string =>
  [
    `◆ ${request.role} asks: ${request.title}`,
    ...callLines(request.call),
    `  ${optionLine(request)}; answer with /answer ${request.approvalId} NUMBER`,
  ].join('\n')

function showSnapshot({ agents, turns }: RelaySnapshot, lines: RelayLines): void {
  for (const { role, content, text } of turns.slice(-lastTurns)) {
    const [firstPart] = content
    lines.note(
      `> ${role}: ${firstPart?.type === 'text' ? firstPart.text : (firstPart?.type ?? '')}`,
    )
    lines.say(role, text)
    lines.endLine()
  }
  for (const { role, agentId, state, branch, turn } of agents) {
    lines.note([`${role}: ${agentId}`, state.toLowerCase(), branch].filter(Boolean).join(' · '))
    if (turn) lines.say(role, turn.text)
  }
  if (agents.length === 0) lines.note('No agent is here.')
}

const help =
  'A line is sent · /role ROLE chooses whom to · /cancel · /answer APPROVAL NUMBER · Ctrl-D leaves, and ends nothing'

function readLines(
  context: CommandContext,
  relay: Relay,
  userSessionId: string,
  sight: ConsoleState,
  lines: RelayLines,
  over: { readonly resolve: () => void; readonly reject: (why: Error) => void },
): () => void {
  const { stdin, stderr } = context.terminal
  const reading = createInterface({
    input: stdin,
    output: stderr as NodeJS.WritableStream,
    prompt: '',
  })
  lines.note(help)
  reading.on('line', (line) => {
    const meant = meaningOf(line.trim(), sight, userSessionId)
    if (typeof meant === 'string') lines.note(meant)
    else if (meant)
      relay
        .request(meant)
        .catch((error: unknown) =>
          lines.note(`✗ ${error instanceof Error ? visible(error.message) : 'refused'}`),
        )
  })
  reading.on('SIGINT', () => over.reject(leftBy('the console')))
  reading.once('close', over.resolve)
  return () => {
    reading.off('close', over.resolve)
    reading.close()
  }
}

/**
 * Returns the request a line stands for, or a message to show instead; undefined for an empty line.
 */
function meaningOf(
  line: string,
  sight: ConsoleState,
  userSessionId: string,
): RelayRequest | string | undefined {
  const inside = { sessionId: userSessionId }
  const [word = '', first = '', second = ''] = line.split(/\s+/)
  if (line === '') return undefined
  if (word === '/help') return help
  if (word === '/role') {
    if (!sight.roles.has(first)) return `There are: ${[...sight.roles].join(', ')}`
    sight.chosen = first
    return `Lines go to ${first}.`
  }
  if (word === '/answer') {
    const request = sight.asked.get(Number(first))
    const option = request && answersOf(request)[Number(second) - 1]
    if (!request || !option) return 'Nothing is asked under that number.'
    return {
      type: 'permission:answer',
      ...inside,
      approvalId: request.approvalId,
      optionId: option.optionId,
    }
  }
  const { role } = sight
  if (role === undefined)
    return `Say to whom: /role ${[...sight.roles].join(' or /role ') || 'ROLE'}`
  if (word === '/cancel') return { type: 'agent:cancel', ...inside, role }
  if (word.startsWith('/') && first === '') return `There is no ${word}. ${help}`
  return { type: 'agent:message', ...inside, role, content: line }
}

export const attachCommand = command({
  summary: 'Follow a console live and speak to its agents; leaving ends nothing',
  operands: { console: operand.optional('its id, or the end of it; the newest when left out') },
  options: {
    role: option.text('<role>', 'to whom lines are sent; may be left out where there is one agent'),
  },
  examples: [
    ['attach', 'the newest console'],
    ['attach 4d2f1a --role reviewer', 'speak to the reviewer in the one whose id ends so'],
    ['attach --json', 'every event from now on as a line of JSON'],
  ],
  async run(context, given) {
    const { id } = await findConsole(context.client, given.console)
    await attachConsole(context, id, given.role)
  },
})
