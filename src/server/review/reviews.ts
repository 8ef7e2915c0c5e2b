/**
 * Reviews, shared by REST and the tools of agents: finds a conversation's files, asks the machine
 * that has them, stores what it answers. Holds no rules and no state.
 */
import { type Caller, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { CommentDraft } from '../../protocol/review/comment.ts'
import type {
  CarriedPlace,
  FoundLine,
  ReviewedChanges,
  ReviewedVersion,
} from '../../protocol/review/review-requests.ts'
import { App } from '../../services/app.ts'
import { sendComments } from '../../services/flows/files/send-comments.ts'
import { findCarryRequest, keepPlaces } from '../../services/review/carry-comments.ts'
import {
  addComment,
  listComments,
  replyToComment,
  requireText,
} from '../../services/review/change-comment.ts'
import { findReviewPlace, type ReviewPlace } from '../../services/review/review-place.ts'
import { findViewed, markViewed } from '../../services/review/viewed-files.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import type { CoordinatorRequests } from '../processes/coordinator-requests.ts'

/** A state of a large workplace is taken, and its files compared. */
const lookWithinMs = 60_000

interface WantedView {
  readonly view?: 'all' | 'uncommitted' | 'since'
  readonly turnId?: string | undefined
}

interface WantedChanges extends WantedView {
  readonly path?: string | undefined
  /** Whether lines are shown, beside which files they are in. */
  readonly withText?: boolean
}

export class Reviews {
  readonly #app: App
  readonly #coordinatorRequests: CoordinatorRequests

  constructor(store: Store, coordinatorRequests: CoordinatorRequests) {
    this.#app = new App(store)
    this.#coordinatorRequests = coordinatorRequests
  }

  async changes(
    who: Caller,
    key: string,
    { path, withText = true, ...view }: WantedChanges,
  ): Promise<ReviewedChanges> {
    const place = await this.#place(who, key, view)
    return this.#ask(who, key, place, { kind: 'review-changes', path: path ?? null, withText })
  }

  /** A file as it was in one version of a view. */
  async version(who: Caller, key: string, blob: string): Promise<Buffer | null> {
    const place = await this.#place(who, key, {})
    const ask = { kind: 'review-version', blob } as const
    const { base64 } = await this.#ask<ReviewedVersion>(who, key, place, ask)
    return base64 === null ? null : Buffer.from(base64, 'base64')
  }

  /** Carried as far as the machine says; one that is away leaves the last places. */
  async comments(who: Caller, key: string) {
    await this.#app.require(listComments, { key }, who)
    const checked = await this.#carry(who, key)
    return { items: await this.#app.read(listComments, { key, by: who.id }, who), checked }
  }

  async add(who: Caller, key: string, draft: CommentDraft, receipt?: ReceiptKey) {
    const { text, inReplyTo, file, side, line, turnId } = draft
    await this.#app.require(addComment, { key }, who)
    requireText(text)
    if (inReplyTo !== undefined) {
      const reply = { key, id: inReplyTo, by: who.id, text }
      return this.#app.run(replyToComment, reply, who, receipt)
    }
    if (file === undefined || side === undefined || line === undefined)
      throw new Refusal('invalid_request', refusalText('whichLine'), { field: 'line' })
    const place = await this.#place(who, key, { turnId })
    const where = { file, side, line, endLine: draft.endLine ?? line }
    const found = await this.#ask<FoundLine>(who, key, place, { kind: 'review-line', ...where })
    if (!found.found) throw new Refusal(found.why, undefined, { file, line })
    const input = { key, by: who.id, text, turnId, ...where, found }
    return this.#app.run(addComment, input, who, receipt)
  }

  async send(who: Caller, key: string, receipt?: ReceiptKey) {
    await this.#app.require(sendComments, { key }, who)
    await this.#carry(who, key)
    return this.#app.run(sendComments, { key, by: who.id }, who, receipt)
  }

  async viewed(who: Caller, key: string): Promise<{ file: string }[]> {
    const marks = await this.#app.read(findViewed, { key, by: who.id }, who)
    if (marks.length === 0) return []
    const place = await this.#place(who, key, {})
    const paths = marks.map(({ file }) => file)
    const now = await this.#unlessAway(
      this.#ask<{ blobs: Record<string, string> }>(who, key, place, {
        kind: 'review-versions',
        paths,
      }),
    )
    const same = marks.filter(({ file, blob }) => !now || (now.blobs[file] ?? '') === blob)
    return same.map(({ file }) => ({ file }))
  }

  async setViewed(
    who: Caller,
    key: string,
    { file, viewed }: { readonly file: string; readonly viewed: boolean },
  ): Promise<void> {
    await this.#app.require(markViewed, { key }, who)
    const mark = { key, by: who.id, file }
    if (!viewed) return this.#app.run(markViewed, { ...mark, blob: null }, who)
    const place = await this.#place(who, key, {})
    const { files } = await this.#ask<ReviewedChanges>(who, key, place, {
      kind: 'review-changes',
      path: file,
      withText: false,
    })
    const [found] = files
    if (!found) throw new Refusal('no_such_file', undefined, { file })
    await this.#app.run(markViewed, { ...mark, blob: found.newBlob ?? '' }, who)
  }

  #place(who: Caller, key: string, { view = 'all', turnId }: WantedView): Promise<ReviewPlace> {
    return this.#app.read(findReviewPlace, { key, view, turnId, by: who.id }, who)
  }

  async #carry(who: Caller, key: string): Promise<boolean> {
    const found = await this.#unlessAway(this.#app.read(findCarryRequest, { key }, who))
    if (!found) return found === null
    const { throughTurn, ...about } = found
    const request = { ...about, worktreeId: null, withinMs: lookWithinMs, by: who.id }
    const carried = await this.#unlessAway(
      this.#coordinatorRequests.ask<{ items: CarriedPlace[] }>(request),
    )
    if (!carried) return false
    const { items } = carried
    await this.#app.run(keepPlaces, { key, items, throughTurn }, theServer)
    return true
  }

  #ask<Value>(
    who: Caller,
    key: string,
    { folders, view, ...machine }: ReviewPlace,
    ask:
      | { kind: 'review-changes'; path: string | null; withText: boolean }
      | { kind: 'review-line'; file: string; side: 'old' | 'new'; line: number; endLine: number }
      | { kind: 'review-versions'; paths: string[] }
      | { kind: 'review-version'; blob: string },
  ): Promise<Value> {
    return this.#coordinatorRequests.ask<Value>({
      ...machine,
      ask: { ...ask, folders, key, view },
      worktreeId: null,
      withinMs: lookWithinMs,
      by: who.id,
    })
  }

  async #unlessAway<Value>(asking: Promise<Value>): Promise<Value | undefined> {
    return asking.catch((error: unknown) => {
      if (error instanceof Refusal && away.has(error.code)) return undefined
      throw error
    })
  }
}

const away: ReadonlySet<string> = new Set([
  'coordinator_away',
  'no_answer',
  'git_refused',
  'wrong_state',
  'busy',
])
