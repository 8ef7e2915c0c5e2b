/**
 * Worktrees, shared by REST and the jobs (WT2, WT3, WT6). Finds them in the register as the
 * caller's own, then asks the machine that has them. Whether something may be done is decided
 * there; the answers are put into words here. Holds no rules and no state.
 */

import type { Caller } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { detailFrom, inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import type { Page } from '../../protocol/page.ts'
import type {
  CoordinatorRequest,
  WorktreeFolder,
} from '../../protocol/processes/coordinator-requests.ts'
import type {
  ListedWorktree,
  Losses,
  MergeResult,
  RemovalResult,
  Worktree,
  WorktreeDiff,
  WorktreeInspection,
  WorktreeState,
} from '../../protocol/worktrees/worktree.ts'
import { App } from '../../services/app.ts'
import { findWorkplace } from '../../services/conversations/queries.ts'
import {
  findOwnerOfBranch,
  findWorktree,
  listWorktrees,
  type WorktreesQuery,
} from '../../services/worktrees/queries.ts'
import { noticeFrom } from '../../store/fields.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import { type WorktreeRow, worktreeOf } from '../../store/worktrees/worktrees.ts'
import type { CoordinatorRequests } from '../processes/coordinator-requests.ts'

/** Time limit for inspection: git answers within a second, a large tree takes longer. */
const inspectWithinMs = 30_000
/** Time limit for changes: a commit of a whole tree, a rebase of many commits. */
const changeWithinMs = 120_000

export interface WhichWorktree {
  readonly projectId: string
  readonly worktreeId: string
}

interface Merge {
  readonly branch?: string | undefined
  readonly how?: 'merge' | 'rebase' | undefined
  readonly message?: string | undefined
}

export class Worktrees {
  readonly #app: App
  readonly #coordinatorRequests: CoordinatorRequests

  constructor(store: Store, coordinatorRequests: CoordinatorRequests) {
    this.#app = new App(store)
    this.#coordinatorRequests = coordinatorRequests
  }

  async list(
    who: Caller,
    { look, ...asked }: Omit<WorktreesQuery, 'viewer'> & { look: boolean },
  ): Promise<Page<ListedWorktree>> {
    const { items, nextCursor } = await this.#app.read(listWorktrees, asked, who)
    const looks = look ? await this.#inspect(who, asked.projectId, items) : undefined
    return {
      items: items.map((row) => ({ ...worktreeOf(row), ...looks?.get(row.id) })),
      nextCursor,
    }
  }

  /** Files of the workplace of a conversation; none while it has no folder. */
  async files(who: Caller, key: string, q: string): Promise<string[]> {
    const place = await this.#app.read(findWorkplace, { key }, who)
    if (!place) return []
    const { folder, ...about } = place
    const ask = { kind: 'folder-files', folder, q } as const
    return this.#coordinatorRequests.ask({
      ...about,
      ask,
      worktreeId: null,
      withinMs: inspectWithinMs,
      by: who.id,
    })
  }

  async state(
    who: Caller,
    named: WhichWorktree,
  ): Promise<{ worktree: Worktree; state: WorktreeState | null }> {
    const row = await this.#find(who, named)
    const worktree = worktreeOf(row)
    if (row.kind === 'plain' || row.removed_at !== null) return { worktree, state: null }
    return { worktree, state: await this.#look(who, row, { kind: 'worktree-state', top: row.top }) }
  }

  async diff(who: Caller, worktree: WhichWorktree, path: string | null): Promise<WorktreeDiff> {
    const row = await this.#tree(who, worktree)
    return this.#look(who, row, { kind: 'worktree-diff', top: row.top, path })
  }

  /** Returns the patch byte by byte as git wrote it, and a file name. */
  async patch(who: Caller, worktree: WhichWorktree): Promise<{ bytes: Buffer; name: string }> {
    const row = await this.#tree(who, worktree)
    const ask = { kind: 'worktree-patch', top: row.top } as const
    const { base64, cut, limit } = await this.#look<{
      base64: string
      cut: boolean
      limit: number
    }>(who, row, ask)
    if (cut)
      throw new Refusal('too_large', refusalText('patchTooLarge'), { limit, folder: row.folder })
    const name = (row.branch ?? row.role).replaceAll(/[^\w.-]+/g, '-')
    return { bytes: Buffer.from(base64, 'base64'), name: `${name}.patch` }
  }

  async losses(who: Caller, worktree: WhichWorktree): Promise<Losses> {
    const row = await this.#tree(who, worktree)
    return this.#look(who, row, { kind: 'worktree-losses', top: row.top })
  }

  async commit(
    who: Caller,
    worktree: WhichWorktree,
    message: string | undefined,
    receipt?: ReceiptKey,
  ) {
    const row = await this.#tree(who, worktree)
    const ask = {
      kind: 'worktree-commit',
      top: row.top,
      message: message ?? `Work of ${row.role}`,
    } as const
    const done = await this.#do<{ commit: string | null; files?: number; left?: string[] }>(
      who,
      row,
      ask,
      receipt,
    )
    return { commit: done.commit, files: done.files ?? 0, left: done.left ?? [] }
  }

  async merge(
    who: Caller,
    worktree: WhichWorktree,
    { branch, how = 'merge', message }: Merge,
    receipt?: ReceiptKey,
  ) {
    const row = await this.#tree(who, worktree)
    const target = branch ?? row.base_branch
    if (target === null)
      throw new Refusal('invalid_request', inField('branch', refusalText('nameABranch')), {
        field: 'branch',
      })
    const { coordinator_id: coordinatorId } = row
    const whose = await this.#app.read(findOwnerOfBranch, { coordinatorId, branch: target }, who)
    if (whose === 'others')
      throw new Refusal('not_found', statusNotice('noBranch', { branch: target }), {
        field: 'branch',
      })
    const words = message ?? `Merge branch '${row.branch}' into ${target}`
    const ofCaller = whose === 'callers'
    const ask = {
      kind: 'worktree-merge',
      top: row.top,
      target,
      ofCaller,
      how,
      message: words,
    } as const
    const brought = await this.#do<MergeResult>(who, row, ask, receipt)
    if (brought.outcome === 'conflicts') {
      const { files, command } = brought
      const count = files.length
      const detail =
        count === 1
          ? refusalText('conflictsOne', { branch: target })
          : refusalText('conflicts', { branch: target, count })
      throw new Refusal('merge_conflict', detail, { files, command })
    }
    if (brought.outcome === 'refused') {
      const { reason, why, notice, command } = brought
      const code = reason === 'git_refused' || reason === 'needs_filter' ? reason : 'wrong_state'
      throw new Refusal(code, detailFrom(why, notice), { reason, command })
    }
    return { ...brought, branch: target }
  }

  async remove(
    who: Caller,
    worktree: WhichWorktree,
    confirmed: string | null,
    receipt?: ReceiptKey,
  ): Promise<void> {
    const row = await this.#find(who, worktree)
    if (row.removed_at !== null) return
    const ask = { kind: 'worktree-remove', place: placeOf(row), confirmed } as const
    const removed = await this.#do<RemovalResult>(who, row, ask, receipt).catch(
      (error: unknown) => {
        // The worktree is gone, and the register says so now.
        if (error instanceof Refusal && error.code === 'not_found')
          return { outcome: 'removed' } as const
        throw error
      },
    )
    if (removed.outcome === 'would_lose') throw wouldLose(removed.losses)
    if (removed.outcome !== 'refused') return
    const { reason, why, notice } = removed
    const code = {
      in_use: 'worktree_in_use',
      not_ours: 'wrong_state',
      git_refused: 'git_refused',
    } as const
    throw new Refusal(code[reason], detailFrom(why, notice), { reason })
  }

  #find(who: Caller, worktree: WhichWorktree): Promise<WorktreeRow> {
    return this.#app.read(findWorktree, worktree, who)
  }

  /** Finds a worktree that exists and has git. */
  async #tree(who: Caller, worktree: WhichWorktree): Promise<WorktreeRow> {
    const row = await this.#find(who, worktree)
    if (row.removed_at !== null)
      throw new Refusal('wrong_state', refusalText('wasRemoved'), { removedAt: row.removed_at })
    if (row.kind === 'plain')
      throw new Refusal(
        'wrong_state',
        row.note
          ? refusalText('plainFolderBecause', {
              note: detailFrom(row.note, noticeFrom(row.notice)),
            })
          : refusalText('plainFolder'),
      )
    return row
  }

  #look<Value>(who: Caller, row: WorktreeRow, ask: CoordinatorRequest): Promise<Value> {
    return this.#coordinatorRequests.ask(requestAbout(row, ask, who, inspectWithinMs))
  }

  #do<Value>(
    who: Caller,
    row: WorktreeRow,
    ask: CoordinatorRequest,
    receipt: ReceiptKey | undefined,
  ): Promise<Value> {
    return this.#coordinatorRequests.ask(requestAbout(row, ask, who, changeWithinMs), receipt)
  }

  /** Asks each machine once for all of its worktrees; an unreachable machine delays no other. */
  async #inspect(who: Caller, projectId: string, rows: readonly WorktreeRow[]) {
    const found = new Map<string, Pick<ListedWorktree, 'look' | 'trouble' | 'troubleNotice'>>()
    const there = Map.groupBy(
      rows.filter((row) => row.removed_at === null),
      ({ coordinator_id }) => coordinator_id,
    )
    const ask = async ([coordinatorId, own]: [string, WorktreeRow[]]): Promise<void> => {
      const ask = { kind: 'worktrees-look', places: own.map(placeOf) } as const
      const about = {
        coordinatorId,
        ask: ask,
        projectId,
        worktreeId: null,
        withinMs: inspectWithinMs,
        by: who.id,
      }
      try {
        const looks = await this.#coordinatorRequests.ask<WorktreeInspection[]>(about)
        for (const [index, row] of own.entries())
          found.set(row.id, { look: looks[index] ?? null, trouble: null })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        for (const row of own)
          found.set(row.id, { look: null, trouble: error.message, troubleNotice: error.notice })
      }
    }
    await Promise.all([...there].map(ask))
    return found
  }
}

const placeOf = ({ kind, top }: WorktreeRow): WorktreeFolder => ({ kind, top })

const requestAbout = (
  row: WorktreeRow,
  ask: CoordinatorRequest,
  who: Caller,
  withinMs: number,
) => ({
  coordinatorId: row.coordinator_id,
  ask,
  projectId: row.project_id,
  worktreeId: row.id,
  withinMs,
  by: who.id,
})

/** The digest is what a confirmation names. */
export const wouldLose = (losses: Losses): Refusal =>
  new Refusal('would_lose', inWords(losses), { losses, digest: losses.digest })

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function inWords({ files, commits, unfinished }: Losses): string {
  const parts = [
    ...(files.length > 0
      ? [`${countOf(files.length, 'file')} that ${files.length === 1 ? 'is' : 'are'} not committed`]
      : []),
    ...(commits.length > 0
      ? [`${countOf(commits.length, 'commit')} that no other branch has`]
      : []),
    ...unfinished.map((what) => `a ${what} that is not finished`),
  ]
  return `With it would be lost: ${parts.join(', ')}`
}
