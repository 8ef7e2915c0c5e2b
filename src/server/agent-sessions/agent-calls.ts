/**
 * Calls of agents and coordinators, shared by MCP and REST. Identifies the caller once per call and
 * records that it called. Holds no rules and never keeps a secret longer than the call.
 */

import { type Caller, theServer, type Who } from '../../domain/access/caller.ts'
import { allows } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { ProcessExit, ProcessExitAnswer } from '../../protocol/processes/process-exit.ts'
import {
  type CallingSession,
  type Claim,
  findAgentSession,
} from '../../services/agent-sessions/queries.ts'
import { App } from '../../services/app.ts'
import {
  authenticateAgent,
  authenticationFailed,
  logoutAgent,
  type SignedIn,
} from '../../services/flows/agent-sessions/authenticate-agent.ts'
import { touchAgentSession } from '../../services/flows/agent-sessions/sweep-agent-session.ts'
import { reportProcessExit } from '../../services/flows/processes/report-process-exit.ts'
import {
  findCallersNextAction,
  type NextAnswer,
} from '../../services/flows/work/take-next-action.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import type { ReceiptKey } from '../../store/store.ts'
import type { Presented } from '../security/credentials.ts'
import { RateLimit } from '../security/rate-limit.ts'
import { type superseded, WaitingCalls, type WaitingCallsOptions } from './waiting-calls.ts'

/** Upper bound; beyond it the entry that was quiet longest is dropped. */
const maxRemembered = 20_000

/**
 * Time of the last call of each agent session (AS6), in memory so that a call need not write. A
 * dropped entry costs an agent at most the minute by which the store may be behind.
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

/** AS1: failed attempts beyond this get `rate_limited`; a correct one is still accepted. */
const failuresPerMinute = 10

/**
 * Arguments of the tool `authenticate`. Agent id and passkey may be left out with an agent's own
 * bearer.
 */
export interface SignInClaim {
  readonly agentId?: string | undefined
  readonly passkey?: string | undefined
  readonly projectId: string
  readonly launchId?: string | null | undefined
}

export class AgentCalls {
  readonly lastSeen = new LastSeen()
  readonly waitingCalls: WaitingCalls
  readonly #app: App
  readonly #failures: RateLimit

  constructor(options: WaitingCallsOptions) {
    this.#app = new App(options.store)
    this.#failures = new RateLimit(options.clock, failuresPerMinute)
    this.waitingCalls = new WaitingCalls(options)
  }

  async authenticate(presented: Presented, claim: SignInClaim): Promise<SignedIn> {
    const { who } = presented
    const own = agentOf(who)
    const agentId = claim.agentId ?? own ?? ''
    const passkeyHash = claim.passkey === undefined ? presented.hash : hashSecret(claim.passkey)
    const { projectId } = claim
    await this.#app.require(authenticateAgent, claim, who)
    // CO4: a bearer of a launch identifies that launch, even when the agent's passkey is given and
    // no launch id.
    const launchId = presented.who.launch?.id ?? claim.launchId
    try {
      const elsewhere = presented.who.launch && presented.who.launch.projectId !== projectId
      if ((own !== null && own !== agentId) || elsewhere) throw authenticationFailed()
      return await this.#app.run(
        authenticateAgent,
        { agentId, projectId, passkeyHash, launchId },
        who,
      )
    } catch (error) {
      if (error instanceof Refusal && error.code === 'authentication_failed')
        this.#failures.attempt(agentId)
      throw error
    }
  }

  /**
   * Finds the agent session of a call, by its token or by the agent whose bearer it carries. Counts
   * as a sign of life.
   */
  async caller(presented: Presented, token: string | undefined): Promise<AgentCaller> {
    return this.#heard(
      await this.#app.read(findAgentSession, claimOf(presented, token), presented.who),
    )
  }

  /**
   * Returns the caller's next action. Uses the read that identified the caller, unless there is
   * nothing to do and time to wait.
   */
  async nextAction(
    presented: Presented,
    token: string | undefined,
    waitSeconds: number,
    signal?: AbortSignal,
  ): Promise<NextAnswer | typeof superseded> {
    const found = await this.#app.read(
      findCallersNextAction,
      { ...claimOf(presented, token), waitSeconds },
      presented.who,
    )
    return this.waitingCalls.next(await this.#heard(found.caller), waitSeconds, signal, found.next)
  }

  async #heard({ touches, calledAt, ...caller }: CallingSession): Promise<AgentCaller> {
    this.lastSeen.saw(caller.agentSessionId, calledAt)
    if (touches) await this.#app.run(touchAgentSession, { ...caller, calledAt }, theServer)
    return caller
  }

  async logout(caller: AgentCaller, who: Caller = theServer): Promise<void> {
    await this.#app.run(logoutAgent, caller, who)
    this.lastSeen.forget(caller.agentSessionId)
  }

  reportExit(who: Who, report: ProcessExit, receipt?: ReceiptKey): Promise<ProcessExitAnswer> {
    return this.#app.run(
      reportProcessExit,
      { ...report, reporterId: who.id, byHand: allows(who.scopes, 'manage') },
      who,
      receipt,
    )
  }

  close(): void {
    this.waitingCalls.close()
  }
}

function claimOf({ who }: Presented, token: string | undefined): Claim {
  return {
    tokenHash: token === undefined ? null : hashSecret(token),
    agentId: agentOf(who),
    launchId: who.launch?.id,
  }
}

const agentOf = (who: Who): string | null => (who.kind === 'agent' ? who.id : null)
