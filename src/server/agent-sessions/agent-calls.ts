/**
 * What agents and coordinators ask for, whatever door they come through: who is calling is found out here, once for every call,
 * and that it called is remembered. Holds no rules; never keeps a secret longer than its call.
 */

import type { Who } from '../../domain/access/who.ts'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashSecret } from '../../platform/secrets.ts'
import type { ProcessExit, ProcessExitAnswer } from '../../protocol/processes/process-exit.ts'
import { authenticateAgent, authenticationFailed, type SignedIn } from '../../services/agent-sessions/authenticate-agent.ts'
import { findCallersNextAction, type NextAnswer } from '../../services/agent-sessions/find-next-action.ts'
import { logoutAgent } from '../../services/agent-sessions/logout-agent.ts'
import { type CallingSession, type Claim, findAgentSession } from '../../services/agent-sessions/queries.ts'
import { reportProcessExit } from '../../services/agent-sessions/report-process-exit.ts'
import { touchAgentSession } from '../../services/agent-sessions/touch-agent-session.ts'
import { findOpenConversations } from '../../services/conversations/queries.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import type { Tails } from '../live/tail.ts'
import type { Presented } from '../security/credentials.ts'
import { RateLimit } from '../security/rate-limit.ts'
import { type superseded, WaitingCalls } from './waiting-calls.ts'

/** Beyond this the one that was quiet longest is forgotten. */
const maxRemembered = 20_000

/**
 * When each agent session was last heard of (AS6): in memory, so that a call need not write. What is forgotten costs an agent at
 * most the minute by which the store may be behind.
 */
export class LastSeen {
  readonly #at = new Map<string, Instant>()

  saw(agentSessionId: string, at: Instant): void {
    this.#at.delete(agentSessionId)
    this.#at.set(agentSessionId, at)
    if (this.#at.size <= maxRemembered) return
    for (const oldest of this.#at.keys()) {
      this.#at.delete(oldest)
      return
    }
  }

  of(agentSessionId: string): Instant | null {
    return this.#at.get(agentSessionId) ?? null
  }

  forget(agentSessionId: string): void {
    this.#at.delete(agentSessionId)
  }
}

/** AS1: wrong attempts beyond this get `rate_limited`; a right one is accepted all the same. */
const failuresPerMinute = 10

export interface AgentCallsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly tails: Tails
}

/** As the tool `authenticate` takes it; with an agent's own bearer its id and passkey may be left out. */
export interface SignInClaim {
  readonly agentId?: string | undefined
  readonly passkey?: string | undefined
  readonly projectId: string
  readonly launchId?: string | null | undefined
}

export class AgentCalls {
  readonly lastSeen = new LastSeen()
  readonly waitingCalls: WaitingCalls
  readonly #store: Store
  readonly #failures: RateLimit

  constructor(options: AgentCallsOptions) {
    this.#store = options.store
    this.#failures = new RateLimit(options.clock, failuresPerMinute)
    this.waitingCalls = new WaitingCalls(options)
  }

  async authenticate(presented: Presented, claim: SignInClaim): Promise<SignedIn> {
    mustWorkAsAgent(presented.who)
    const own = agentOf(presented.who)
    const agentId = claim.agentId ?? own ?? ''
    const passkeyHash = claim.passkey === undefined ? presented.hash : hashSecret(claim.passkey)
    const { projectId } = claim
    // CO4: a process with a launch's bearer is that launch, also when it gives its agent's passkey and says nothing of it.
    const launchId = presented.who.launch?.id ?? claim.launchId
    try {
      const elsewhere = presented.who.launch && presented.who.launch.projectId !== projectId
      if ((own !== null && own !== agentId) || elsewhere) throw authenticationFailed()
      return await this.#store.run(authenticateAgent, { agentId, projectId, passkeyHash, launchId })
    } catch (error) {
      if (error instanceof Refusal && error.code === 'authentication_failed') this.#failures.attempt(agentId)
      throw error
    }
  }

  /** The agent session a call is made in: the token's, or that of the agent whose bearer it is. Counts as a sign of life. */
  async caller(presented: Presented, token: string | undefined): Promise<Receiver> {
    return this.#heard(await this.#store.query(findAgentSession, claimOf(presented, token)))
  }

  /** What its caller should do next, from the look that finds out who is calling, unless there is nothing to do and time to wait. */
  async nextAction(
    presented: Presented,
    token: string | undefined,
    waitSeconds: number,
    signal?: AbortSignal,
  ): Promise<NextAnswer | typeof superseded> {
    const found = await this.#store.query(findCallersNextAction, { ...claimOf(presented, token), waitSeconds })
    return this.waitingCalls.next(await this.#heard(found.caller), waitSeconds, signal, found.next)
  }

  async #heard({ touches, calledAt, ...caller }: CallingSession): Promise<Receiver> {
    this.lastSeen.saw(caller.agentSessionId, calledAt)
    if (touches) await this.#store.run(touchAgentSession, { ...caller, calledAt })
    return caller
  }

  async logout(caller: Receiver): Promise<void> {
    const openConversations = await this.#store.query(findOpenConversations, caller)
    await this.#store.run(logoutAgent, { ...caller, openConversations })
    this.lastSeen.forget(caller.agentSessionId)
  }

  async reportExit(who: Who, report: ProcessExit, receipt?: ReceiptKey): Promise<ProcessExitAnswer> {
    const openConversations = await this.#store.query(findOpenConversations, report)
    return this.#store.run(reportProcessExit, { ...report, reporterId: who.id, openConversations }, receipt)
  }

  close(): void {
    this.waitingCalls.close()
  }
}

function claimOf({ who }: Presented, token: string | undefined): Claim {
  mustWorkAsAgent(who)
  return { tokenHash: token === undefined ? null : hashSecret(token), agentId: agentOf(who), launchId: who.launch?.id }
}

/** SE3: an agent's secret adds nothing to what the bearer of the connection may do; who only reads does no agent's work. */
function mustWorkAsAgent({ kind, scopes }: Who): void {
  if (kind === 'agent' || scopes.includes('write')) return
  throw new Refusal('missing_scope', refusalText('needsScope', { scope: 'write' }), { scope: 'write' })
}

const agentOf = (who: Who): string | null => (who.kind === 'agent' ? who.id : null)
