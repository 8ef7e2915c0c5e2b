/**
 * What the agents of a session ask a person, put to the editor. The first answer wins, wherever it
 * is given; then the editor's question is withdrawn. That an editor shows it no more is no answer.
 */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk/unstable'
import { methods } from '@agentclientprotocol/sdk/unstable'
import { allows } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import type { TurnPermission, TurnQuestion } from '../../protocol/threads/turn-items.ts'
import { QuestionAnswer } from '../../protocol/turns/question.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import { listAskedIn } from '../../services/approvals/queries.ts'
import {
  answerPermission,
  answerQuestion,
} from '../../services/flows/approvals/answer-permission.ts'
import { decideApproval } from '../../services/flows/approvals/request-approval.ts'
import { lookForApprovalsEveryMs, permissionFor, verdictOf } from './asked-approvals.ts'
import type { Editor } from './client-link.ts'
import { toolCallOf } from './tool-calls.ts'

/** A request to the editor says which approval it is about, for a tunnel that connects again. */
const askMeta = (approvalId: number) => ({ _meta: { holdfast: { ask: approvalId } } })

/** Permissions that an editor can show at once. */
const maxOpenAsks = 50

export class Asks {
  readonly #key: string
  readonly #editor: Editor
  readonly #deps: ServerDependencies
  /** Behind what was told last. */
  readonly #at: () => string
  /** By the approval's number; undefined once the editor has answered. */
  readonly #asked = new Map<number, AbortController>()
  /** What an agent that pulls has asked for. */
  readonly #approvals = new Set<number>()
  #stopLooking: (() => void) | undefined
  #isClosed = false

  constructor(key: string, editor: Editor, deps: ServerDependencies, at: () => string) {
    this.#key = key
    this.#editor = editor
    this.#deps = deps
    this.#at = at
  }

  /** Puts what an agent that pulls asks for to the editor, as long as this goes on. */
  async lookForApprovals(goesOn: () => boolean): Promise<void> {
    this.#stopLooking?.()
    const { app, clock } = this.#deps
    const who = this.#editor.link.who()
    if (this.#isClosed || !goesOn() || !allows(who.scopes, 'approve')) return
    const found = await app.read(listAskedIn, { key: this.#key }, who)
    if (this.#isClosed) return
    const open = new Set(found.map(({ id }) => id))
    for (const id of this.#approvals) if (!open.has(id)) this.#withdraw(id)
    for (const approval of found) {
      this.#approvals.add(approval.id)
      this.#once(approval.id, (signal) => this.#askApproval(approval, signal))
    }
    this.#stopLooking = clock.after(lookForApprovalsEveryMs, () => {
      this.lookForApprovals(goesOn).catch((error: unknown) => this.#failed(error))
    })
  }

  async #askApproval(approval: Approval, signal: AbortSignal): Promise<void> {
    const { outcome } = await this.#editor.context.request(
      methods.client.session.requestPermission,
      { ...permissionFor(approval, this.#key), ...askMeta(approval.id) },
      { cancellationSignal: signal },
    )
    const status = outcome.outcome === 'selected' ? verdictOf(outcome.optionId) : undefined
    if (signal.aborted || status === undefined) return
    const who = this.#editor.link.who()
    const decision = { approvalId: approval.id, status, by: who.id }
    await this.#deps.app.run(decideApproval, decision, who)
  }

  #withdraw(id: number): void {
    this.#asked.get(id)?.abort()
    this.#asked.delete(id)
    this.#approvals.delete(id)
  }

  /** Asks what is open in these turns and was not asked, and withdraws what is decided. */
  follow(turns: readonly ThreadTurn[], folder: string | null): void {
    if (!allows(this.#editor.link.who().scopes, 'approve')) return
    const open = new Set<number>()
    for (const turn of turns) {
      if (turn.state !== 'running') continue
      for (const item of turn.items) {
        if (item.kind === 'permission' && item.permission.outcome === null) {
          open.add(item.permission.approvalId)
          this.#once(item.permission.approvalId, (signal) =>
            this.#askPermission(item.permission, folder, signal),
          )
        }
        if (item.kind === 'question' && item.question.outcome === null) {
          open.add(item.question.questionId)
          this.#once(item.question.questionId, (signal) => this.#askQuestion(item.question, signal))
        }
      }
    }
    for (const id of this.#asked.keys())
      if (!open.has(id) && !this.#approvals.has(id)) this.#withdraw(id)
  }

  #once(approvalId: number, ask: (signal: AbortSignal) => Promise<void>): void {
    if (this.#asked.has(approvalId) || this.#asked.size >= maxOpenAsks) return
    const controller = new AbortController()
    this.#asked.set(approvalId, controller)
    ask(controller.signal).catch((error: unknown) => this.#failed(error))
  }

  async #askPermission(
    { approvalId, call, options }: TurnPermission,
    folder: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    const request: RequestPermissionRequest = {
      sessionId: this.#key,
      toolCall: toolCallOf(call, folder),
      options: options.map(({ optionId, name, kind }) => ({
        optionId,
        name,
        kind: kind === 'other' ? 'allow_once' : kind,
      })),
      ...askMeta(approvalId),
    }
    const { outcome } = await this.#editor.context.request(
      methods.client.session.requestPermission,
      request,
      { cancellationSignal: signal },
    )
    // `cancelled`: it is not shown any more. Who looks next is asked again.
    if (signal.aborted || outcome.outcome !== 'selected') return
    const choice = { optionId: outcome.optionId }
    const who = this.#editor.link.who()
    await this.#deps.app.run(answerPermission, { approvalId, choice, by: who.id }, who)
  }

  async #askQuestion(
    { questionId, message, schema, url }: TurnQuestion,
    signal: AbortSignal,
  ): Promise<void> {
    const { asksForms, asksUrls, context, link } = this.#editor
    if (schema === null ? !asksUrls : !asksForms) {
      const toolCallId = `holdfast.question.${questionId}`
      const title = `Asks: ${message.slice(0, 200)} – answer on the page of Holdfast`
      const row = { toolCallId, title, kind: 'other', status: 'in_progress' } as const
      signal.addEventListener('abort', () => {
        const over = { toolCallId, status: 'completed' } as const
        void this.#editor.tell(
          this.#key,
          { sessionUpdate: 'tool_call_update', ...over },
          this.#at(),
        )
      })
      return this.#editor.tell(this.#key, { sessionUpdate: 'tool_call', ...row }, this.#at())
    }
    const request = { sessionId: this.#key, message, ...askMeta(questionId) }
    const visit = { mode: 'url', elicitationId: String(questionId), url: url ?? '' } as const
    // The form is what another agent asked with, checked and bounded.
    const form = { mode: 'form', requestedSchema: schema } as CreateElicitationRequest
    const response: CreateElicitationResponse = await context.request(
      methods.client.elicitation.create,
      { ...form, ...request, ...(schema === null && visit) } as CreateElicitationRequest,
      { cancellationSignal: signal },
    )
    // A form that is closed is no answer.
    if (signal.aborted || response.action === 'cancel') return
    const content = 'content' in response ? (response.content ?? null) : null
    const answer = QuestionAnswer.safeParse({ action: response.action, content })
    if (!answer.success) return
    const who = link.who()
    await this.#deps.app.run(
      answerQuestion,
      { approvalId: questionId, answer: answer.data, by: who.id },
      who,
    )
  }

  /** An answer that is not taken, such as one that came too late, leaves things as they are. */
  #failed(error: unknown): void {
    const isOurs = error instanceof Error && error.constructor === Error
    if (error instanceof Refusal || isOurs) return
    if (error instanceof Error && error.name === 'RequestError') return
    refusalOf(error, this.#editor.link.requestId, this.#deps.logger)
  }

  close(): void {
    this.#isClosed = true
    this.#stopLooking?.()
    this.#asked.clear()
  }
}
