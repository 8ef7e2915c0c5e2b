/**
 * Prints what agents write and do: their text on standard output as it arrives, everything else on
 * standard error. On a terminal control characters are made visible; a program gets the text
 * unchanged.
 */
import type { RelayEvent } from '../../client/relay-messages.ts'
import { visible } from '../../platform/log/visible.ts'
import { costText } from '../../protocol/turns/cost.ts'
import type { CommandContext } from '../context.ts'
import { painter } from '../terminal.ts'

const marks = { pending: '·', in_progress: '…', completed: '✓', failed: '✗' } as const

export class RelayLines {
  readonly #context: CommandContext
  /** Whether roles are shown, because there may be several. */
  readonly #named: boolean
  #writing: string | undefined
  /** Last line printed for each tool call. */
  readonly #tools = new Map<string, string>()

  constructor(context: CommandContext, named: boolean) {
    this.#context = context
    this.#named = named
  }

  show(event: RelayEvent): void {
    if (this.#context.json)
      return void this.#context.terminal.stdout.write(`${JSON.stringify(event)}\n`)
    if (event.type === 'session:created') return
    if (event.type === 'session:terminated')
      return this.note(`The console is ended: ${event.reason}.`)
    if (event.type === 'agent:update') return this.#update(event)
    const words = (
      wordsOf[event.type] as ((event: RelayEvent) => string | undefined) | undefined
    )?.(event)
    if (words !== undefined) this.note(this.#named ? `${event.role}: ${words}` : words)
  }

  note(words: string): void {
    this.endLine()
    const { terminal, json } = this.#context
    if (json) return
    const lines = words.split('\n').map(visible).join('\n')
    terminal.stderr.write(`${painter(terminal.stderr, terminal.env)('dim', lines)}\n`)
  }

  endLine(): void {
    if (this.#writing === undefined) return
    this.#context.terminal.stdout.write('\n')
    this.#writing = undefined
  }

  #update({ role, update }: Extract<RelayEvent, { type: 'agent:update' }>): void {
    if (update.kind === 'text') this.say(role, update.text)
    else if (update.kind === 'tool') {
      const { toolCallId, title, status } = update.call
      const line = `${marks[status]} ${title}`
      const key = `${role} ${toolCallId}`
      // Only the beginning and the outcome of a tool call are printed.
      if (this.#tools.get(key) === line || (status === 'in_progress' && this.#tools.has(key)))
        return
      this.#tools.set(key, line)
      this.note(this.#named ? `${role}: ${line}` : line)
    } else if (update.kind === 'plan')
      this.note(
        update.entries.map(({ status, content }) => `${marks[status]} ${content}`).join('\n'),
      )
  }

  /** Prints a piece of text; an unfinished line continues with the next piece. */
  say(role: string, text: string): void {
    if (text === '') return
    const { stdout } = this.#context.terminal
    if (this.#writing !== role) this.endLine()
    if (this.#named && this.#writing === undefined)
      stdout.write(this.#context.paint('cyan', `${visible(role)}  `))
    stdout.write(stdout.isTTY ? text.split('\n').map(safe).join('\n') : text)
    this.#writing = text.endsWith('\n') ? undefined : role
  }
}

type ShownEvent = Exclude<
  RelayEvent,
  { type: 'session:created' | 'session:terminated' | 'agent:update' }
>

/** Each event in words; those that are left out say nothing here. */
const wordsOf: {
  readonly [Type in ShownEvent['type']]?: (
    event: Extract<ShownEvent, { type: Type }>,
  ) => string | undefined
} = {
  'agent:spawning': ({ agentId }) => `Starting ${agentId} …`,
  'agent:ready': ({ workspace, branch, note }) =>
    [`Ready in ${workspace}`, branch && `on ${branch}`, note].filter(Boolean).join(' · '),
  'agent:failed': ({ step, error }) => `✗ It failed (${step}): ${error}`,
  'agent:asleep': () => 'Asleep until something waits for it',
  'agent:terminated': ({ reason }) => `Ended: ${reason}`,
  'agent:queued': ({ position }) => `Waits as number ${position}`,
  'agent:withdrawn': () => 'Withdrawn',
  'agent:response': ({ stopReason, usage, error }) =>
    stopReason === 'end_turn' ? usageLine(usage) : `Stopped: ${error ?? stopReason}`,
  'agent:limited': ({ until, goesOn }) =>
    until === null
      ? 'The limit is over'
      : `Limit reached, until ${until}${goesOn ? '; it goes on by itself then' : ''}`,
  'approval:held': ({ approvalId, held }) =>
    held
      ? `Permission ${approvalId}: ${held.status} by ${held.by}, until ${held.until}`
      : `Permission ${approvalId}: taken back`,
  'permission:resolved': ({ approvalId, outcome }) => `Permission ${approvalId}: ${outcome}`,
}

const safe = (line: string): string => line.split('\t').map(visible).join('\t')

/** What the turn used, where its agent says so; earlier servers leave it out. */
function usageLine(
  usage: Extract<RelayEvent, { type: 'agent:response' }>['usage'] | undefined,
): string | undefined {
  if (!usage) return undefined
  const { inputTokens, outputTokens, cost } = usage
  const parts = [
    inputTokens !== null && `${inputTokens} tokens in`,
    outputTokens !== null && `${outputTokens} out`,
    cost && costText(cost),
  ]
  return parts.filter(Boolean).join(' · ')
}
