/**
 * Diffs, rewinds and forks of turns (FS4, FS8, FS9), shared by REST and the jobs: stores the
 * intent, asks the machine, stores the result. What was cut off is asked again; machines answer a
 * repeated request as before.
 */

import { type Caller, systemId, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { forEachSettled } from '../../platform/for-each-settled.ts'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import type { EndFiles } from '../../protocol/turns/link.ts'
import type {
  ForkAnswer,
  RestoreAnswer,
  StateDiff,
  TurnDiff,
} from '../../protocol/worktrees/file-state.ts'
import { App } from '../../services/app.ts'
import {
  type AskedOperation,
  askFork,
  askMachine,
  askRewind,
  askUndo,
  findTurnFiles,
} from '../../services/flows/files/file-operations.ts'
import { finishOperation } from '../../services/flows/files/finish-operation.ts'
import {
  completeFiles,
  dropDisownedFiles,
  type findDisownedFiles,
  type findOldFiles,
  type findUnfinishedFiles,
  forgetOldFiles,
} from '../../services/turns/keep-files.ts'
import { findPulledFiles, keepFilesBefore } from '../../services/turns/pulled-files.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import type { CoordinatorRequests } from '../processes/coordinator-requests.ts'

const inspectWithinMs = 30_000
/** Writing all files of a large workplace. */
const writeWithinMs = 600_000

/** Compared with nothing: there is no such tree. Earlier coordinators want one. */
const noTree = '0'.repeat(40)

/** A state that cannot be taken holds up no turn (FS11). */
function inVain(error: unknown): null {
  if (error instanceof Refusal) return null
  throw error
}

interface WhichTurn {
  readonly key: string
  readonly turnId: string
}

type UnfinishedFiles = Awaited<ReturnType<typeof findUnfinishedFiles.run>>[number]
type TakenFiles = Omit<UnfinishedFiles, 'turnId'> & { readonly first?: string | undefined }
type OldFiles = Awaited<ReturnType<typeof findOldFiles.run>>['due'][number]
type DisownedFiles = Awaited<ReturnType<typeof findDisownedFiles.run>>[number]
type StatePlace = Awaited<ReturnType<typeof forgetOldFiles.run>>['places'][number]
export class FileOperations {
  readonly #app: App
  readonly #coordinatorRequests: CoordinatorRequests

  constructor(store: Store, coordinatorRequests: CoordinatorRequests) {
    this.#app = new App(store)
    this.#coordinatorRequests = coordinatorRequests
  }

  /** What a turn changed; with `since`, an earlier turn, everything from before that. */
  async diff(
    who: Caller,
    turn: WhichTurn,
    { path, since }: { path?: string | undefined; since?: string | undefined },
  ): Promise<TurnDiff> {
    const { coordinatorId, projectId, folders, from, to, leftOut } = await this.#app.read(
      findTurnFiles,
      { ...turn, since },
      who,
    )
    const ask = { kind: 'files-diff', folders, from, to, path: path ?? null } as const
    const about = {
      coordinatorId,
      ask,
      projectId,
      worktreeId: null,
      withinMs: inspectWithinMs,
      by: who.id,
    }
    return { ...(await this.#coordinatorRequests.ask<StateDiff>(about)), leftOut }
  }

  async rewind(
    who: Caller,
    turn: WhichTurn,
    wanted: { to: 'before' | 'after'; confirm?: string | undefined },
    receipt?: ReceiptKey,
  ) {
    const operation = await this.#app.run(
      askRewind,
      { ...turn, ...wanted, by: who.id },
      who,
      receipt,
    )
    return {
      conversation: turn.key,
      turnId: turn.turnId,
      to: wanted.to,
      ...(await this.#restored(operation)),
    }
  }

  /** Undoes the last rewind of a conversation. */
  async undo(
    who: Caller,
    { key, confirm }: { key: string; confirm?: string | undefined },
    receipt?: ReceiptKey,
  ) {
    const operation = await this.#app.run(askUndo, { key, confirm, by: who.id }, who, receipt)
    return { conversation: key, ...(await this.#restored(operation)) }
  }

  async fork(who: Caller, turn: WhichTurn, agentId: string | undefined, receipt?: ReceiptKey) {
    const operation = await this.#app.run(askFork, { ...turn, agentId, by: who.id }, who, receipt)
    const { answer, forkKey } = await this.#perform<ForkAnswer>(operation)
    return { conversation: forkKey ?? '', workplace: answer.folder, branch: answer.branch }
  }

  /** Completes a rewind or fork that was cut off. */
  async complete(operation: AskedOperation): Promise<void> {
    await this.#complete(operation)
  }

  /** Takes the state after a turn whose end could not take it. */
  async takeAfter({ turnId, ...unfinished }: UnfinishedFiles): Promise<void> {
    const { key } = unfinished
    const after = await this.#take(unfinished)
    if (after) await this.#app.run(completeFiles, { turnId, key, after }, theServer)
  }

  /**
   * Keeps the files before the running turn of an agent that pulls, unless they are kept. Its agent
   * is told nothing before, so a turn that is handed out again after a crash finds them as they
   * were.
   */
  async keepBefore(caller: AgentCaller): Promise<void> {
    const place = await this.#app.read(findPulledFiles, caller, theServer)
    if (!place || place.before !== undefined) return
    const { turnId, key } = place
    const taken = await this.#take({ ...place, since: noTree }).catch(inVain)
    const before = taken && { top: taken.top, state: taken.state, leftOut: taken.leftOut }
    await this.#app.run(keepFilesBefore, { turnId, key, before }, theServer)
  }

  /** The files after it. What could not be taken is taken when the turn is over (FS11). */
  async afterPulled(caller: AgentCaller): Promise<{ turnId: string; after: EndFiles } | undefined> {
    const place = await this.#app.read(findPulledFiles, caller, theServer)
    if (place?.before === undefined) return undefined
    const after = await this.#take({ ...place, since: place.before }).catch(inVain)
    return after ? { turnId: place.turnId, after } : undefined
  }

  /** Null where there is no git workplace. */
  #take({ coordinatorId, projectId, key, folder, since, first, state }: TakenFiles) {
    const more = { ...(first !== undefined && { first }), ...(state && { state }) }
    return this.#coordinatorRequests.ask<EndFiles | null>({
      coordinatorId,
      projectId,
      ask: { kind: 'files-take', key, folder, since, ...more },
      worktreeId: null,
      withinMs: inspectWithinMs,
      by: systemId,
    })
  }

  /** Lets go of the states that a conversation's project no longer keeps. */
  async forgetOld(old: OldFiles): Promise<void> {
    const { places, needed } = await this.#app.run(forgetOldFiles, old, theServer)
    await forEachSettled(places, (place) => this.#keepOnly(old.key, place, needed))
  }

  /** Lets go of the states of a deleted conversation. */
  async forgetDisowned({ key, top, place }: DisownedFiles): Promise<void> {
    // A new conversation may have the same key.
    const { needed } = await this.#app.run(forgetOldFiles, { key, before: '' }, theServer)
    if (place) await this.#keepOnly(key, place, needed)
    await this.#app.run(dropDisownedFiles, { key, top }, theServer)
  }

  /** A repository that is gone has nothing to let go of. */
  async #keepOnly(key: string, { folders, ...where }: StatePlace, needed: string[]): Promise<void> {
    const ask: CoordinatorRequest = { kind: 'files-keep', folders, key, needed }
    try {
      await this.#coordinatorRequests.ask({
        ...where,
        ask,
        worktreeId: null,
        withinMs: inspectWithinMs,
        by: systemId,
      })
    } catch (error) {
      const isGone = error instanceof Refusal && error.code === 'git_refused'
      if (!isGone) throw error
    }
  }

  async #restored(operation: AskedOperation) {
    const { answer } = await this.#perform<RestoreAnswer>(operation)
    if (answer.outcome === 'done') return { operationId: operation.id, kept: [...answer.kept] }
    if (answer.outcome === 'would_lose') {
      const { token: digest, files, count } = answer
      throw new Refusal('would_lose', refusalText('rewindLoses', { count }), {
        losses: { files, count, digest },
      })
    }
    throw refusalOf(answer)
  }

  /** The first request: one that cannot be sent has changed nothing. */
  async #perform<Answer extends RestoreAnswer | ForkAnswer>(
    operation: AskedOperation,
  ): Promise<{ answer: Answer; forkKey: string | null }> {
    try {
      return await this.#complete<Answer>(operation)
    } catch (error) {
      const isUnsent = error instanceof Refusal && ['coordinator_away', 'busy'].includes(error.code)
      const isRefused =
        error instanceof Refusal &&
        error.code !== 'no_answer' &&
        operation.request.kind === 'files-fork'
      if (isUnsent || isRefused)
        await this.#app.run(finishOperation, { ...operation, answer: null }, theServer)
      throw error
    }
  }

  async #complete<Answer extends RestoreAnswer | ForkAnswer>(operation: AskedOperation) {
    const sent = { ...operation, withinMs: writeWithinMs }
    const request = await this.#app.run(askMachine, sent, theServer)
    const answer =
      'answer' in request
        ? (request.answer as Answer)
        : await this.#coordinatorRequests.answerTo<Answer>(request.id, sent)
    const { forkKey } = await this.#app.run(finishOperation, { ...operation, answer }, theServer)
    return { answer, forkKey }
  }
}

function refusalOf({
  reason,
  files,
  why,
}: Extract<RestoreAnswer, { outcome: 'refused' }>): Refusal {
  switch (reason) {
    case 'in_the_way':
      return new Refusal(
        'wrong_state',
        refusalText('rewindBlocked', { files: (files ?? []).join(', ') }),
        { reason, files },
      )
    case 'changing':
      return new Refusal('busy', refusalText('rewindChanging'))
    case 'state_gone':
      return new Refusal('wrong_state', refusalText('fileStateGone'), { reason })
    case 'failed':
      return new Refusal('git_refused', refusalText('rewindFailed', { why: why ?? '' }))
  }
}
