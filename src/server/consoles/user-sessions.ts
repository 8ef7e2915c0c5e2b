/**
 * User sessions, shared by the relay, REST and MCP. Requests return the number of the event that
 * answers them, or null when it comes later. Holds no rules and no state.
 */

import { type Caller, theServer } from '../../domain/access/caller.ts'
import { allows } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { detailFields } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { home, userSessionStream } from '../../domain/stream-name.ts'
import type { QuestionAnswer } from '../../domain/turns/question.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { RelayRequest } from '../../protocol/consoles/relay.ts'
import type { UserSession } from '../../protocol/consoles/user-session.ts'
import type { Missing, NotRestored } from '../../protocol/work/resume.ts'
import { App } from '../../services/app.ts'
import { readApproval } from '../../services/approvals/queries.ts'
import { configureAgent } from '../../services/consoles/configure-agent.ts'
import {
  type EndOf,
  findEndAnswer,
  findEndSeq,
  findOnlyProject,
  findRoleAtWork,
  findStartMachine,
  getUserSession,
  type StartMachine,
  type StartTarget,
} from '../../services/consoles/queries.ts'
import type { AskedUserSession } from '../../services/consoles/role-agent-record.ts'
import {
  answerPermission,
  answerQuestion,
} from '../../services/flows/approvals/answer-permission.ts'
import type { PermissionChoice } from '../../services/flows/approvals/decide-request.ts'
import { decideApproval } from '../../services/flows/approvals/request-approval.ts'
import {
  createUserSession,
  terminateUserSession,
} from '../../services/flows/consoles/change-user-session.ts'
import {
  requestedReason,
  terminateRoleAgent,
} from '../../services/flows/consoles/end-role-agent.ts'
import {
  type Spawn,
  type Spawned,
  spawnRoleAgent,
} from '../../services/flows/consoles/spawn-role-agent.ts'
import { cancelTurn, withdrawPrompt } from '../../services/flows/turns/cancel-turn.ts'
import { goOnInRole } from '../../services/flows/turns/end-limit.ts'
import { type SentPrompt, sendPrompt } from '../../services/flows/turns/send-prompt.ts'
import type { ReceiptKey, Store, UseCase } from '../../store/store.ts'
import { untilSeen } from '../live/until-seen.ts'
import type { LinkedMachines } from '../processes/linked-machines.ts'
import { chosenBy } from './chosen-option.ts'
import { receiptIn } from './relay-receipts.ts'

type Request<Type extends RelayRequest['type']> = Extract<RelayRequest, { type: Type }>
/** What the relay and REST ask alike. */
type Requested<Type extends RelayRequest['type']> = Omit<Request<Type>, 'type'>
type NewUserSession = Requested<'session:create'>

interface Decision {
  /** Left out: whichever it is of. */
  readonly projectId?: string | undefined
  readonly approvalId: number
  readonly status: 'approved' | 'rejected' | 'revision_requested'
  readonly feedback?: string | null | undefined
  readonly always?: AlwaysTerms | undefined
  readonly optionId?: string | undefined
  readonly hold?: number | undefined
}

interface TakenUp {
  readonly notRestored: readonly NotRestored[]
  readonly missing: Missing[] | undefined
}

/** Time to wait for the coordinator that is being started beside this server. */
const coordinatorWithinMs = 5000

/**
 * The number of the answering event (null when it comes later), or the termination another request
 * has begun.
 */
type Terminating = { readonly seq: number | null } | { readonly awaits: EndOf }

/** Time a client waits for the event of a termination; it usually comes within seconds. */
const endWithinMs = 60_000

interface UserSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  /** `up`: requests in the first moments of the server wait for its coordinator. */
  readonly expectsCoordinator: boolean
  readonly machines: LinkedMachines
  /** `projects.roots`: below them who manages may choose a workspace (US8). */
  readonly projectRoots: readonly string[]
}

/** What requests are done by that take them as they are. */
const useCases = {
  'agent:withdraw': withdrawPrompt,
  'agent:configure': configureAgent,
  'agent:go-on': goOnInRole,
}

export class UserSessions {
  readonly #store: Store
  readonly #app: App
  readonly #options: UserSessionsOptions

  constructor(options: UserSessionsOptions) {
    this.#store = options.store
    this.#app = new App(options.store)
    this.#options = options
  }

  get(who: Caller, userSessionId: string): Promise<UserSession> {
    return this.#app.read(getUserSession, { userSessionId }, who)
  }

  /** A user session as it was just created, for who may write and not read. */
  begun(userSessionId: string): Promise<UserSession> {
    return this.#store.query(getUserSession, { userSessionId })
  }

  /** Waits a moment for a coordinator that is being started beside this server. */
  async #machineFor(
    userSessionId: string,
    target: StartTarget,
    who: Caller,
  ): Promise<StartMachine> {
    const choose = () => this.#app.read(findStartMachine, { userSessionId, ...target }, who)
    const isSettled = ({ startOn, cannotStart }: StartMachine): boolean =>
      startOn !== null || cannotStart !== null
    const found = await choose()
    if (isSettled(found) || !this.#options.expectsCoordinator) return found
    const look = async (): Promise<StartMachine | undefined> => {
      const now = await choose()
      return isSettled(now) ? now : undefined
    }
    const [store, clock] = [this.#store, this.#options.clock]
    return (
      (await untilSeen({ store, clock, stream: home, withinMs: coordinatorWithinMs, look })) ??
      found
    )
  }

  /** Without a project: in the only one. */
  async create(
    who: Caller,
    request: NewUserSession,
    receipt: ReceiptKey | undefined,
  ): Promise<{ userSessionId: string; seq: number }> {
    const projectId = request.projectId ?? (await this.#app.read(findOnlyProject, {}, who))
    return this.#app.run(
      createUserSession,
      { projectId, by: who.id, requestId: request.requestId },
      who,
      receipt,
    )
  }

  async spawn(
    who: Caller,
    request: Requested<'agent:spawn'>,
    receipt: ReceiptKey | undefined,
  ): Promise<Spawned> {
    await this.#app.require(spawnRoleAgent, request, who)
    const { role, agentId, userSessionId } = request
    const target = { role, agentId: agentId ?? undefined }
    const machine = await this.#machineFor(userSessionId, target, who)
    const workspaceRoots = allows(who.scopes, 'manage') ? this.#options.projectRoots : []
    return this.#order(machine, { ...request, workspaceRoots, by: who.id }, receipt)
  }

  async prompt(
    who: Caller,
    request: Requested<'agent:message'>,
    receipt: ReceiptKey | undefined,
  ): Promise<SentPrompt> {
    return this.#app.run(sendPrompt, { ...request, by: who.id }, who, receipt)
  }

  /** Orders what its caller may have. */
  #order(
    { startOn, cannotStart }: StartMachine,
    spawn: Omit<Spawn, 'startOn' | 'cannotStart'>,
    receipt: ReceiptKey | undefined,
  ): Promise<Spawned> {
    const ordered = { ...spawn, startOn, cannotStart }
    return this.#options.machines.order(startOn, () =>
      this.#app.run(spawnRoleAgent, ordered, theServer, receipt),
    )
  }

  /**
   * RS2: continues work in its role and its worktree; returns the reason in words when that is
   * impossible. Undefined when the work belonged to no role; `missing` is undefined when the role
   * is unavailable and others may continue.
   */
  async takeUp(
    who: Caller,
    from: string,
    workSessionId: string,
    receipt?: ReceiptKey,
  ): Promise<TakenUp | undefined> {
    const at = await this.#app.read(findRoleAtWork, { workSessionId: from }, who)
    if (!at) return undefined
    const { userSessionId, isOthers, ...role } = at
    // RS2: somebody else's console is not named.
    if (isOthers) {
      const detail = statusNotice('inConsoleOfOther', { agent: role.agentId })
      return {
        notRestored: [{ what: 'agent', ...detailFields('detail', detail) }],
        missing: undefined,
      }
    }
    try {
      const machine = await this.#machineFor(userSessionId, role, who)
      const spawnReceipt = receipt && { ...receipt, operation: `${receipt.operation} spawn` }
      const again = { userSessionId, ...role, load: true, workSessionId, by: who.id }
      await this.#order(machine, again, spawnReceipt)
      const detail = machine.cannotStart ?? statusNotice('noMachineFor', { agent: role.agentId })
      return {
        notRestored: [],
        missing:
          machine.startOn === null ? [{ what: 'machine', ...detailFields('detail', detail) }] : [],
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const detail = statusNotice('cannotGoOnItself', {
        agent: role.agentId,
        role: role.role,
        why: error.detail,
      })
      return {
        notRestored: [{ what: 'agent', ...detailFields('detail', detail) }],
        missing: undefined,
      }
    }
  }

  async apply(who: Caller, request: Request<keyof typeof useCases>): Promise<number> {
    const useCase: UseCase<never, { seq: number }> = useCases[request.type]
    return (
      await this.#app.run(useCase, { ...request, by: who.id } as never, who, receiptIn(request))
    ).seq
  }

  async cancel(who: Caller, request: Request<'agent:cancel'>): Promise<number | null> {
    const { turnId } = await this.#app.run(
      cancelTurn,
      { ...request, by: who.id },
      who,
      receiptIn(request),
    )
    return this.#app.read(findEndSeq, { turnId }, who)
  }

  async terminateAgent(
    who: Caller,
    request: Request<'agent:terminate'>,
  ): Promise<Terminating | 'nobody'> {
    const { roleAgentId, byOther } = await this.#app.run(
      terminateRoleAgent,
      request,
      who,
      receiptIn(request),
    )
    if (roleAgentId === null) return 'nobody'
    return byOther
      ? { awaits: { roleAgentId } }
      : { seq: await this.#app.read(findEndSeq, { roleAgentId }, who) }
  }

  async terminate(
    who: Caller,
    request: Omit<Request<'session:terminate'>, 'type'>,
    receipt?: ReceiptKey,
  ): Promise<Terminating> {
    const { userSessionId, requestId } = request
    const ownReceipt = receipt ?? receiptIn({ type: 'session:terminate', ...request })
    const { byOther } = await this.#app.run(
      terminateUserSession,
      { userSessionId, reason: requestedReason, requestId },
      who,
      ownReceipt,
    )
    return byOther
      ? { awaits: { userSessionId } }
      : { seq: await this.#app.read(findEndSeq, { userSessionId }, who) }
  }

  /**
   * Resolves with the event of a termination another request has begun; undefined when it does not
   * come in time.
   */
  whenEnded(userSessionId: string, end: EndOf) {
    const [store, clock, stream] = [
      this.#store,
      this.#options.clock,
      userSessionStream(userSessionId),
    ]
    const look = async () => (await store.query(findEndAnswer, end)) ?? undefined
    return untilSeen({ store, clock, stream, withinMs: endWithinMs, look })
  }

  async answer(who: Caller, request: Request<'permission:answer'>): Promise<number> {
    const { approvalId, optionId, outcome, always, hold, requestId, userSessionId } = request
    const within = { userSessionId }
    const choose = outcome === 'allowed' ? 'allow' : 'deny'
    const choice: PermissionChoice = optionId === undefined ? { choose } : { optionId }
    const input = { approvalId, within, choice, always, hold, by: who.id, requestId }
    return (await this.#app.run(answerPermission, input, who, receiptIn(request))).seq
  }

  /** Answers a question (AP13) asked in this user session. */
  async answerInSession(who: Caller, request: Request<'question:answer'>): Promise<number> {
    const { questionId, action, content = null, hold, userSessionId, requestId } = request
    const answer = { action, content }
    return (
      await this.#answerQuestion(who, questionId, answer, receiptIn(request), {
        within: { userSessionId },
        requestId,
        hold,
      })
    ).seq
  }

  /** Answers a question (AP13) wherever it was asked. */
  async answerAnywhere(
    who: Caller,
    questionId: number,
    answer: QuestionAnswer,
    hold: number | undefined,
    receipt: ReceiptKey | undefined,
  ): Promise<Approval> {
    return (await this.#answerQuestion(who, questionId, answer, receipt, { hold })).approval
  }

  async #answerQuestion(
    who: Caller,
    approvalId: number,
    answer: QuestionAnswer,
    receipt: ReceiptKey | undefined,
    given: {
      readonly within?: AskedUserSession
      readonly requestId?: string | undefined
      readonly hold: number | undefined
    },
  ) {
    return this.#app.run(answerQuestion, { approvalId, answer, by: who.id, ...given }, who, receipt)
  }

  /**
   * Decides a permission from the inbox (AP4, AP5). Needs the scope that approvals of the project
   * need.
   */
  async decide(
    who: Caller,
    decision: Decision,
    receipt: ReceiptKey | undefined,
  ): Promise<Approval> {
    const { projectId, approvalId, status, feedback, always, optionId, hold } = decision
    await this.#app.require(decideApproval, decision, who)
    const { permission, question } = await this.#store.query(readApproval, {
      projectId,
      approvalId,
      viewer: null,
    })
    if (question && status !== 'revision_requested') {
      const answer = {
        action: status === 'approved' ? 'accept' : 'decline',
        content: null,
      } as const
      return (await this.#answerQuestion(who, approvalId, answer, receipt, { hold })).approval
    }
    if (!permission && (always || optionId))
      throw new Refusal('wrong_state', refusalText('onlyPermissions'))
    if (!permission && !question)
      return this.#app.run(decideApproval, { ...decision, by: who.id }, who, receipt)
    if (status === 'revision_requested')
      throw new Refusal('wrong_state', refusalText('nothingRevised'))
    const choice = chosenBy(status, optionId, permission?.options ?? [])
    const input = { approvalId, choice, always, feedback, hold, by: who.id }
    return (await this.#app.run(answerPermission, input, who, receipt)).approval
  }
}
