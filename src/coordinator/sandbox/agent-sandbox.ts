/**
 * What an ACP agent has to do with its sandbox: what it committed is taken over around each turn
 * (SB6), it stays in one workplace (SB3), and a person is asked about hosts that a strict sandbox
 * does not allow (SB7), as a permission of the running turn: allow once, allow always (an
 * allowance, with its scope and expiry), or keep refusing. One question for each host and turn,
 * whose answer counts for it. Outside a turn only what was allowed before its start is; the first
 * turn asks about the rest.
 */
import { hash } from 'node:crypto'
import { isBelow } from '../../platform/files/path-inside.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { type Detail, DetailError, statusNotice } from '../../protocol/status-texts.ts'
import type { PermissionRequest } from '../../protocol/turns/agent-update.ts'
import type { PermissionAnswer } from '../acp/permissions.ts'
import type { HostPort } from './network-rules.ts'

/** A connection is held this long for an answer. A later answer counts for the next connection. */
const holdMs = 120_000
/** Upper bound of one turn. Others are refused without a question. */
const maxHosts = 20

const allowOnce = 'allow'

export interface AgentSandboxOptions {
  readonly particulars: Pick<LaunchParticulars, 'agentId' | 'projectId' | 'isolation'>
  /** Outside a turn nobody is asked. */
  readonly runningTurn: () => string | undefined
  readonly ask: (turnId: string, request: PermissionRequest) => Promise<PermissionAnswer>
  readonly note: (text: string) => void
}

export interface InSandbox {
  /** SB6: takes over what it has committed. */
  readonly sync: () => Promise<void>
  /** Stops its processes until what it returns is called. */
  readonly freeze: () => Promise<() => void>
}

export class AgentSandbox {
  readonly #options: AgentSandboxOptions
  /** SB13: the limit for which its process is being ended. */
  endedFor: Detail | undefined
  #folder: string | undefined
  #inside: InSandbox | undefined
  #turnId = ''
  readonly #answers = new Map<string, Promise<boolean>>()
  readonly #refused = new Set<string>()
  readonly #unasked: HostPort[] = []

  constructor(options: AgentSandboxOptions) {
    this.#options = options
  }

  begin(folder: string, inside: InSandbox | undefined): void {
    if (!inside) return
    this.#folder = folder
    this.#inside = inside
  }

  isAt(top: string): boolean {
    return this.#folder !== undefined && (this.#folder === top || isBelow(top, this.#folder))
  }

  /** `owner`: whose the conversation's transcripts are; left out by earlier servers. */
  requireWorkplace(folder: string, owner: string | undefined): void {
    if (this.#folder === undefined) return
    if (folder !== this.#folder) throw new DetailError(statusNotice('otherWorkplace'))
    const own = this.#options.particulars.isolation?.owner?.id
    if (owner !== undefined && own !== undefined && owner !== own)
      throw new DetailError(statusNotice('otherOwner'))
  }

  /** SB10: while files are written outside of it, it cannot put a link in their way. */
  async freezeIn(folder: string): Promise<() => void> {
    const isThere =
      this.isAt(folder) || (this.#folder !== undefined && isBelow(this.#folder, folder))
    return (isThere && (await this.#inside?.freeze())) || (() => {})
  }

  /** A failure is written to the agent's output. */
  async sync(): Promise<void> {
    await this.#inside
      ?.sync()
      .catch((error: unknown) =>
        this.#options.note(error instanceof Error ? error.message : String(error)),
      )
  }

  async askHost({ host, port }: HostPort): Promise<boolean> {
    const turnId = this.#options.runningTurn()
    if (turnId === undefined) return this.#isRemembered(host) || this.#refuse({ host, port })
    const answer = this.#ask(turnId, { host, port })
    if (!answer) return false
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), holdMs)
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  /**
   * Asks about the hosts that were refused before: what is allowed always is reached by the next
   * process.
   */
  beginTurn(turnId: string): void {
    for (const target of this.#unasked.splice(0)) void this.#ask(turnId, target)
  }

  #ask(turnId: string, target: HostPort): Promise<boolean> | undefined {
    if (this.#turnId !== turnId) this.#answers.clear()
    this.#turnId = turnId
    const earlier = this.#answers.get(target.host)
    if (!earlier && this.#answers.size >= maxHosts) return undefined
    const answer = earlier ?? this.#options.ask(turnId, requestFor(target)).then(isAllowed)
    this.#answers.set(target.host, answer)
    return answer
  }

  #isRemembered(host: string): boolean {
    const { remembered = [] } = this.#options.particulars.isolation ?? {}
    return remembered.includes(likenessOf(host))
  }

  /** Why it has not started, with the hosts that it did not reach meanwhile. */
  explain(failure: Detail): Detail {
    if (this.#refused.size === 0) return failure
    return statusNotice('hostsRefused', {
      why: failure,
      hosts: [...this.#refused].join(', '),
      command: this.#allowing,
    })
  }

  /**
   * At once, so that a start is not held. A name that is none of a host does not get into a command
   * that a person copies.
   */
  #refuse(target: HostPort): false {
    const { host } = target
    if (this.#refused.size >= maxHosts || this.#refused.has(host) || !isPlain(host)) return false
    this.#refused.add(host)
    this.#unasked.push(target)
    this.#options.note(
      `outside a turn nobody is asked about ${host}; to allow it: ${this.#allowing}`,
    )
    return false
  }

  get #allowing(): string {
    return commandAllowing(this.#options.particulars, [...this.#refused])
  }
}

const isPlain = (host: string): boolean => /^[a-z0-9][a-z0-9.-]*(:\d+)?$/.test(host)

/**
 * The command that allows hosts; it names what is allowed already, because it replaces that. Empty
 * for what is no name of a host.
 */
export function commandAllowing(
  { agentId, projectId, isolation }: AgentSandboxOptions['particulars'],
  refused: readonly string[],
): string {
  if (!refused.every(isPlain)) return ''
  const { folders, hosts, state = [] } = isolation?.allow ?? { folders: [], hosts: [] }
  const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`
  const words = [
    ...folders.map((folder) => `--allow-folder ${quoted(folder)}`),
    ...state.map((path) => `--allow-state ${quoted(path)}`),
    ...[...hosts, ...refused].map((host) => `--allow-host '${host}'`),
  ]
  return `holdfast projects assign ${projectId} ${agentId} ${words.join(' ')}`
}

const isAllowed = (answer: PermissionAnswer): boolean =>
  'optionId' in answer && answer.optionId === allowOnce

const likenessOf = (host: string): string => hash('sha256', `host ${host}`)

const requestFor = ({ host, port }: HostPort): PermissionRequest => {
  const input = JSON.stringify({ host })
  return {
    call: {
      toolCallId: `host-${host}`,
      title: `Reach ${host}:${port} from the sandbox`,
      // No kind of a tool: what is allowed for tools opens no host.
      toolKind: 'other',
      status: 'pending',
      input,
      locations: [],
      content: [],
      cut: false,
    },
    options: [
      { optionId: allowOnce, name: 'Allow for this turn', kind: 'allow_once' },
      { optionId: 'refuse', name: 'Keep refusing', kind: 'reject_once' },
    ],
    digest: hash('sha256', input),
    likeness: likenessOf(host),
  }
}
