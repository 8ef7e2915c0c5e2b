/**
 * Completes file states that a crash left out (FS7), and finds those that are no longer needed
 * (FS10).
 */
import { epochMs, instant } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { EndFiles } from '../../protocol/turns/link.ts'
import type { FileState } from '../../protocol/worktrees/file-state.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import {
  disowned,
  maxOperations,
  selectDisowned,
  selectFilesOf,
  selectNextState,
  selectOldFiles,
  selectOperationsOf,
  selectUnfinishedFiles,
  type TurnFilesRow,
} from '../../store/turns/turn-files.ts'
import { settingsFrom } from '../projects/project-record.ts'
import { recordFiles, stateFrom } from './turn-files.ts'

const pageSize = 50
/** An end that was missed longer ago stays without a state. */
const maxLateMs = 3_600_000

/**
 * Returns ended turns with a state before and none after; with `state`, what the next turn in the
 * workplace began with.
 */
export const findUnfinishedFiles = defineQuery('find-unfinished-files', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }) => {
    const rows = await reader.all(selectUnfinishedFiles, {
      since: instant(epochMs(now) - maxLateMs),
      limit: pageSize,
    })
    const found: {
      turnId: string
      key: string
      coordinatorId: string
      projectId: string
      folder: string
      since: string
      state?: FileState
    }[] = []
    for (const row of rows) {
      const {
        turn_id: turnId,
        conversation_key: key,
        coordinator_id: coordinatorId,
        project_id: projectId,
        top: folder,
      } = row
      const since = stateFrom(row.before_state)?.tree
      const state = await nextState(reader, row)
      if (folder !== null && since !== undefined)
        found.push({
          turnId,
          key,
          coordinatorId,
          projectId,
          folder,
          since,
          ...(state && { state }),
        })
    }
    return found
  },
})

const nextState = async (reader: Reader, row: TurnFilesRow): Promise<FileState | null> =>
  stateFrom((await reader.first(selectNextState, row))?.before_state ?? null)

/**
 * Stores a state that was missing, unless another turn has begun in the workplace meanwhile and may
 * be in it.
 */
export const completeFiles = defineUseCase('complete-files', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: { key: string; turnId: string; after: EndFiles }) => [conversationStream(key)],
  run: async (tx, { turnId, after }): Promise<void> => {
    const row = await tx.row('turn_files', { turn_id: turnId })
    if (row?.after_state !== null || row.rewound_by !== null) return
    const next = await nextState(tx, row)
    if (next === null || next.tree === after.state.tree) await recordFiles(tx, turnId, { after })
  },
})

/** Lists conversations with states older than their project keeps, in pages. */
export const findOldFiles = defineQuery('find-old-files', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { after }: { after: string }, { now }) => {
    const rows = await reader.all(selectOldFiles, { before: now, after, limit: pageSize })
    const due: { key: string; before: string }[] = []
    for (const { conversation_key: key, project_id: id, oldest } of rows) {
      const keepMs = durationMs(
        settingsFrom((await reader.row('projects', { id }))?.settings ?? '{}'),
        'files.keep_days',
      )
      const before = instant(epochMs(now) - keepMs)
      if (keepMs > 0 && oldest < before) due.push({ key, before })
    }
    return { due, after: rows.length < pageSize ? undefined : rows.at(-1)?.conversation_key }
  },
})

interface StatePlace {
  readonly coordinatorId: string
  readonly projectId: string
  /** The workplace, and the project's folder, whose repository is the same. */
  readonly folders: string[]
}

/**
 * Forgets the states of a conversation's turns of before a time, except its newest. Returns its
 * workplaces and all that it still needs: the worktrees of a repository share a ref.
 */
export const forgetOldFiles = defineUseCase('forget-old-files', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key }: { key: string; before: string }) => [conversationStream(key)],
  run: async (tx, { key, before }) => {
    const rows = await tx.all(selectFilesOf, { key })
    const needed = new Set<string>()
    const places = new Map<string, StatePlace>()
    for (const [index, row] of rows.entries()) {
      if (row.created_at < before && index < rows.length - 1)
        await tx.update('turn_files', { ...row, before_state: null, after_state: null })
      else
        for (const state of [stateFrom(row.before_state), stateFrom(row.after_state)])
          add(needed, state)
      const place = await placeOf(tx, row)
      if (place) places.set(`${row.coordinator_id} ${row.top}`, place)
    }
    for (const { result, asked_at } of await tx.all(selectOperationsOf, {
      key,
      limit: maxOperations,
    })) {
      const done = JSON.parse(result ?? '{}')
      if (asked_at >= before) for (const state of [done?.before, done?.after]) add(needed, state)
    }
    return { places: [...places.values()], needed: [...needed] }
  },
})

async function placeOf(
  reader: Reader,
  { top, coordinator_id, project_id }: PlacedRow,
): Promise<StatePlace | undefined> {
  const path = (await reader.row('projects', { id: project_id }))?.path
  const folders = [top, path].filter((folder) => typeof folder === 'string')
  return top === null
    ? undefined
    : { coordinatorId: coordinator_id, projectId: project_id, folders }
}
type PlacedRow = Pick<TurnFilesRow, 'top' | 'coordinator_id' | 'project_id'>

/** Lists where states of deleted conversations are. */
export const findDisownedFiles = defineQuery('find-disowned-files', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>) => {
    const found: { key: string; top: string | null; place: StatePlace | undefined }[] = []
    for (const row of await reader.all(selectDisowned, { limit: pageSize }))
      found.push({
        key: row.conversation_key.slice(disowned.length),
        top: row.top,
        place: await placeOf(reader, row),
      })
    return found
  },
})

/** Forgets where states of a deleted conversation were. */
export const dropDisownedFiles = defineUseCase('drop-disowned-files', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { key, top }: { key: string; top: string | null }): Promise<void> => {
    await tx.delete('turn_files', { conversation_key: `${disowned}${key}`, top })
  },
})

function add(
  needed: Set<string>,
  state: { tree?: string; leftOut?: string | null } | null | undefined,
): void {
  if (state?.tree) needed.add(state.tree)
  if (state?.leftOut) needed.add(state.leftOut)
}
