/**
 * What a session or one of its turns changed, as one client watches it. Its machine is asked again
 * when a turn ends; what is told in between is as it was.
 */
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { checked } from '../../protocol/checked-input.ts'
import type { ReviewedFile } from '../../protocol/review/review-requests.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import { findViewed, markViewed } from '../../services/review/viewed-files.ts'
import { type ChangesetState, changesetChanges, changesetOf, fileUri } from './changeset-view.ts'
import type { ChatAction } from './chat-state.ts'
import type { ChatView, RunView } from './chat-view.ts'
import { AhpError, errorBody } from './json-rpc.ts'
import type { ChangesetName } from './names.ts'
import type { Origin, WatchedThread } from './watched-thread.ts'

/** As many as are listed. */
const maxReviewed = 1000

const ReviewChanged = z.looseObject({
  files: z.array(z.string().max(20_000)).max(maxReviewed),
  reviewed: z.boolean(),
})

interface ChangesetOptions {
  readonly deps: ServerDependencies
  readonly who: Who
  readonly uri: string
  readonly name: ChangesetName
  readonly watched: WatchedThread
  readonly act: (action: ChatAction, more?: object) => void
  readonly failed: (error: unknown) => void
}

export class WatchedChangeset {
  readonly uri: string
  readonly name: ChangesetName
  readonly watched: WatchedThread
  readonly #options: ChangesetOptions
  #state: ChangesetState = { status: 'computing', files: [] }
  /** What was known of the session when it was asked last. */
  #askedAt = ''
  #isAsking = false
  #isChanged = false
  /** What was shown, by the id of each file. */
  #versions: readonly (readonly [id: string, file: ReviewedFile])[] = []
  #isClosed = false

  constructor(options: ChangesetOptions) {
    this.#options = options
    this.uri = options.uri
    this.name = options.name
    this.watched = options.watched
  }

  get state(): ChangesetState {
    return this.#state
  }

  close(): void {
    this.#isClosed = true
  }

  /** Whatever happened in the session may have changed files. */
  look(): void {
    const mark = markOf(this.watched)
    if (mark === this.#askedAt) return
    this.#askedAt = mark
    void this.#readAgain().catch((error: unknown) => {
      if (!this.#isClosed) this.#options.failed(error)
    })
  }

  /** Asks once at a time, and once more for what happened meanwhile. */
  async #readAgain(): Promise<void> {
    this.#isChanged = true
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      while (this.#isChanged && !this.#isClosed) {
        this.#isChanged = false
        const state = await this.#ask().catch(errorState)
        if (!this.#isClosed) this.#become(state)
      }
    } finally {
      this.#isAsking = false
    }
  }

  #become(state: ChangesetState): void {
    const before = this.#state
    this.#state = state
    for (const action of changesetChanges(before, state)) this.#options.act(action)
  }

  /** Marks files as looked at, in the versions that were shown. */
  async review(who: Who, action: ChatAction, origin: Origin): Promise<void> {
    const { deps, watched } = this.#options
    if (action.type !== 'changeset/filesReviewChanged')
      throw new AhpError('denied', `${action.type} is not taken from a client`)
    requireScope(who, markViewed.scope)
    const { files, reviewed } = checked(ReviewChanged, action)
    const shown = new Map(this.#versions)
    const marked = files.filter((id) => shown.has(id))
    for (const id of marked) {
      const { path: file = '', newBlob } = shown.get(id) ?? {}
      const blob = reviewed ? (newBlob ?? '') : null
      await deps.app.run(markViewed, { key: watched.key, by: who.id, file, blob }, who)
    }
    const changed = this.#state.files.map(({ id, edit, ...rest }) => {
      if (!marked.includes(id)) return { id, edit, ...rest }
      return { id, edit, ...(reviewed && { reviewed: true as const }) }
    })
    this.#state = { ...this.#state, files: changed }
    this.#options.act({ type: action.type, files: marked, reviewed }, { origin })
  }

  async #ask(): Promise<ChangesetState> {
    const { deps, who, watched, name } = this.#options
    const { key, conversation } = watched
    const turn = name.turnId === undefined ? undefined : turnOf(watched.chat, name.turnId)
    if (turn && !turn.end) return { status: 'computing', files: [] }
    // A message that was answered together with the next.
    if (turn && turn.turnId === null) return { status: 'ready', files: [] }
    const view = name.of === 'uncommitted' ? 'uncommitted' : 'all'
    const wanted = { view, turnId: turn?.turnId ?? undefined, withText: false } as const
    const { files } = await deps.reviews.changes(who, key, wanted)
    const marks = await deps.app.read(findViewed, { key, by: who.id }, who)
    const viewed = new Map(marks.map(({ file, blob }) => [file, blob]))
    const { directory, folder } = conversation.workplace ?? {}
    const shown = { key, folder: directory ?? folder ?? '/', viewed }
    this.#versions = files.map((file) => [fileUri(shown.folder, file.path), file] as const)
    return changesetOf(files, shown)
  }
}

/** Ends of turns, what a rewind leaves of them, and where the files are. */
const markOf = ({ chat, conversation }: WatchedThread): string => {
  const ends = chat.turns.flatMap(({ runs }) => runs.map(({ end }) => end?.at ?? ''))
  return JSON.stringify([ends.length, ends.sort().at(-1), conversation.workplace])
}

function turnOf({ turns }: ChatView, id: string): RunView | undefined {
  const turn = turns.find((each) => each.id === id)
  if (!turn) throw new AhpError('notFound', `There is no turn ${id}`)
  return turn.runs.at(-1)
}

function errorState(error: unknown): ChangesetState {
  if (!(error instanceof Refusal) && !(error instanceof AhpError)) throw error
  const { message } = errorBody(error)
  const errorType = error instanceof Refusal ? error.code : 'notFound'
  return { status: 'error', error: { errorType, message }, files: [] }
}
