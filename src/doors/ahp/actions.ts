/**
 * What clients dispatch: each action is a use case, done once, and told back with its origin. What
 * only a server may say is refused, as is what is not offered, and changes nothing.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { Refusal } from '../../domain/errors.ts'
import { checked } from '../../protocol/checked-input.ts'
import {
  archiveConversation,
  markSeen,
  setTitle,
} from '../../services/conversations/mark-conversation.ts'
import {
  answerPermission,
  answerQuestion,
} from '../../services/flows/approvals/answer-permission.ts'
import { promptSession } from '../../services/flows/conversations/prompt-session.ts'
import { askRewind } from '../../services/flows/files/file-operations.ts'
import { moveMessage } from '../../services/flows/messages/move-message.ts'
import { withdrawMessage } from '../../services/flows/messages/withdraw-message.ts'
import { stopTurns } from '../../services/flows/turns/cancel-turn.ts'
import { goOnInConversation } from '../../services/flows/turns/go-on.ts'
import type { ReceiptKey } from '../../store/store.ts'
import type { ChatAction } from './chat-state.ts'
import { AhpError } from './json-rpc.ts'
import type { QuestionView, ToolView } from './part-view.ts'
import {
  contentOf,
  type Given,
  Id,
  moved,
  Prompt,
  prompt,
  queue,
  seqOf,
  truncate,
  withdraw,
} from './prompts.ts'
import { Answers, answersOf } from './question-form.ts'
import type { WatchedThread } from './watched-thread.ts'

interface Dispatched {
  readonly rights: Rights
  readonly run: (given: Given, action: ChatAction) => Promise<unknown>
  /** Whether an action of ours says that this one is done. */
  readonly isEchoedBy: (action: ChatAction, echo: ChatAction) => boolean
}

const dispatched = <Schema extends z.ZodType>(
  rights: Rights,
  schema: Schema,
  run: (given: Given, action: z.output<Schema>) => Promise<unknown>,
  isEchoedBy: (action: z.output<Schema>, echo: ChatAction) => boolean,
): Dispatched => ({
  rights,
  run: (given, action) => run(given, checked(schema, action)),
  isEchoedBy: (action, echo) => isEchoedBy(action as z.output<Schema>, echo),
})

const sameType = (action: { type: string }, echo: ChatAction): boolean => action.type === echo.type

/** A prompt begins a turn, or waits for the one that runs. */
const isPrompted = (id: string, echo: ChatAction): boolean =>
  (echo.type === 'chat/turnStarted' && echo['turnId'] === id) ||
  (echo.type === 'chat/pendingMessageSet' && echo['id'] === id)

const type = z.string()

const actions: Readonly<Record<string, Dispatched>> = {
  'chat/turnStarted': dispatched(
    promptSession,
    z.looseObject({ type, turnId: Id, message: Prompt }),
    (given, { turnId, message }) => prompt(given, turnId, contentOf(message)),
    ({ turnId }, echo) => isPrompted(turnId, echo),
  ),
  'chat/pendingMessageSet': dispatched(
    promptSession,
    z.looseObject({ type, id: Id, kind: z.enum(['queued', 'steering']), message: Prompt }),
    async (given, { id, kind, message }) => {
      const content = contentOf(message)
      if (kind === 'queued') return queue(given, id, content)
      const seq = await prompt(given, id, content)
      // What steers comes before what waits; agents take nothing in the middle of a turn.
      if (given.watched.chat.queued.length > 0) await moved(given, { seq, to: 'now' })
      given.watched.isSteered = true
    },
    ({ id }, echo) => isPrompted(id, echo),
  ),
  'chat/pendingMessageRemoved': dispatched(
    withdrawMessage,
    z.looseObject({ type, id: Id }),
    (given, { id }) => withdraw(given, id),
    (action, echo) => sameType(action, echo) && echo['id'] === action.id,
  ),
  'chat/queuedMessagesReordered': dispatched(
    moveMessage,
    z.looseObject({ type, order: z.array(Id).max(100) }),
    async (given, { order }) => {
      const seqs = order.map((id) => seqOf(given.watched, id))
      for (const [index, seq] of seqs.entries().toArray().reverse())
        await moved(given, { seq, to: seqs[index + 1] ?? null })
    },
    sameType,
  ),
  'chat/turnCancelled': dispatched(
    stopTurns,
    z.looseObject({ type, turnId: Id }),
    cancel,
    (action, echo) => sameType(action, echo) && echo['turnId'] === action.turnId,
  ),
  'chat/truncated': dispatched(
    askRewind,
    z.looseObject({ type, turnId: Id.optional() }),
    truncate,
    (action, echo) => sameType(action, echo) && echo['turnId'] === action.turnId,
  ),
  'chat/turnResume': dispatched(
    goOnInConversation,
    z.looseObject({ type, turnId: Id }),
    ({ who, deps, watched, receipt }, { turnId }) => {
      const last = watched.chat.turns.at(-1)
      if (watched.chat.isActive || last?.id !== turnId || !last.runs.at(-1)?.end?.isResumable)
        throw new AhpError('turnRuns', 'This turn has not failed in a way that can be resumed')
      const chosen = { key: watched.key, goOn: true, by: who.id }
      return deps.app.run(goOnInConversation, chosen, who, receipt)
    },
    (action, echo) => sameType(action, echo) && echo['turnId'] === action.turnId,
  ),
  'chat/toolCallConfirmed': dispatched(
    answerPermission,
    z.looseObject({
      type,
      toolCallId: z.string().max(2000),
      approved: z.boolean(),
      selectedOptionId: z.string().max(1000).optional(),
    }),
    confirm,
    (action, echo) => sameType(action, echo) && echo['toolCallId'] === action.toolCallId,
  ),
  'chat/inputCompleted': dispatched(
    answerQuestion,
    z.looseObject({
      type,
      requestId: Id,
      response: z.enum(['accept', 'decline', 'cancel']),
      answers: Answers.optional(),
    }),
    answer,
    (action, echo) => sameType(action, echo) && echo['requestId'] === action.requestId,
  ),
  'session/titleChanged': dispatched(
    setTitle,
    z.looseObject({ type, title: z.string().trim().min(1).max(200) }),
    ({ who, deps, watched, receipt }, { title }) =>
      deps.app.run(setTitle, { key: watched.key, title, by: who.id }, who, receipt),
    sameType,
  ),
  'session/isReadChanged': dispatched(
    markSeen,
    z.looseObject({ type, isRead: z.literal(true) }),
    ({ who, deps, watched, receipt }) => {
      const seq = watched.thread.state.messages.at(-1)?.seq ?? 0
      return deps.app.run(markSeen, { key: watched.key, personId: who.id, seq }, who, receipt)
    },
    sameType,
  ),
  'session/isArchivedChanged': dispatched(
    archiveConversation,
    z.looseObject({ type, isArchived: z.boolean() }),
    ({ who, deps, watched, receipt }, { isArchived: archived }) =>
      deps.app.run(archiveConversation, { key: watched.key, archived, by: who.id }, who, receipt),
    sameType,
  ),
}

/** What is a client's own, or has no counterpart here: it is told back, and nothing is kept. */
const ownMatters: ReadonlySet<string> = new Set([
  'root/configChanged',
  'session/activeClientSet',
  'session/activeClientRemoved',
  'session/configChanged',
  'chat/draftChanged',
  'chat/inputAnswerChanged',
])

export const isOwnMatter = (action: ChatAction): boolean => ownMatters.has(action.type)

export function actionOf(action: ChatAction): Dispatched {
  const found = Object.hasOwn(actions, action.type) ? actions[action.type] : undefined
  if (!found) throw new AhpError('denied', `${action.type} is not taken from a client`)
  return found
}

/** HT4: the same action again is the same answer. Several have the number 0 in a row. */
export function receiptOf(
  who: Who,
  { clientId, clientSeq }: { readonly clientId: string; readonly clientSeq: number },
  action: ChatAction,
): ReceiptKey | undefined {
  if (clientSeq === 0) return undefined
  const contentHash = createHash('sha256').update(JSON.stringify(action)).digest('base64url')
  const key = `${clientId} ${clientSeq} ${contentHash}`
  const { credentialId } = who
  return { credentialId, operation: 'ahp', key, contentHash, sealedBy: '' }
}

/** One that has not begun is taken back. */
async function cancel(given: Given, { turnId }: { turnId: string }): Promise<unknown> {
  const { who, deps, watched, receipt } = given
  const { chat, thread, key } = watched
  const last = chat.turns.at(-1)
  if (!chat.isActive || last?.id !== turnId)
    throw new AhpError('turnRuns', 'This turn does not run')
  if (thread.state.turns.at(-1)?.state === 'running') {
    const chosen = { key, goOn: true, by: who.id }
    // VS Code stops what runs to have answered what it was steered with; alone that waits (SN20).
    if (watched.isSteered) watched.afterTurn = () => deps.app.run(goOnInConversation, chosen, who)
    watched.isSteered = false
    return deps.app.run(stopTurns, { key, by: who.id }, who, receipt)
  }
  return withdraw(given, turnId)
}

const openParts = ({ chat }: WatchedThread) => {
  const run = chat.isActive ? chat.turns.at(-1)?.runs.at(-1) : undefined
  return run?.parts ?? []
}

interface Confirmation {
  readonly toolCallId: string
  readonly approved: boolean
  readonly selectedOptionId?: string | undefined
}

function confirm(
  { who, deps, watched, receipt }: Given,
  { toolCallId, approved, selectedOptionId }: Confirmation,
): Promise<unknown> {
  const call = openParts(watched).find((part): part is ToolView => part.id === toolCallId)
  if (call?.approvalId == null)
    throw new AhpError('notFound', 'Nothing waits for this confirmation')
  const option = call.options.find(({ id }) => id === selectedOptionId)
  if (selectedOptionId !== undefined && (option?.kind === 'approve') !== approved)
    throw new AhpError('invalidParams', `${selectedOptionId} was not offered for this`)
  const choice = option
    ? { optionId: option.id }
    : ({ choose: approved ? 'allow' : 'deny' } as const)
  const { approvalId } = call
  return deps.app.run(answerPermission, { approvalId, choice, by: who.id }, who, receipt)
}

interface Answered {
  readonly requestId: string
  readonly response: 'accept' | 'decline' | 'cancel'
  readonly answers?: z.output<typeof Answers> | undefined
}

function answer(
  { who, deps, watched, receipt }: Given,
  { requestId, response: action, answers = {} }: Answered,
): Promise<unknown> {
  const question = openParts(watched).find((part): part is QuestionView => part.id === requestId)
  if (!question?.questionId) throw new AhpError('notFound', 'Nothing waits for this answer')
  const { questionId: approvalId, schema } = question
  const content = action === 'accept' ? answersOf(answers, schema) : null
  const given = { approvalId, answer: { action, content }, by: who.id }
  return deps.app.run(answerQuestion, given, who, receipt)
}

/** What a client is told of why its action was not taken. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof AhpError || error instanceof Refusal ? error.message : undefined
}
