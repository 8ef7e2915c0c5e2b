/**
 * Restores a work session from its files (CK4): adds what is missing, overwrites nothing, reports
 * what it cannot restore.
 */

import { Refusal } from '../../domain/errors.ts'
import { detailFields, type NoticeText } from '../../domain/notices.ts'
import type { FolderInspection } from '../../domain/projects/folder.ts'
import { changeSettings } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { ProjectPath } from '../../protocol/projects/project.ts'
import { answerOnWire } from '../../protocol/work/on-wire.ts'
import {
  type ReadWorkSession,
  readWorkSession,
  type WorkSessionFiles,
} from '../../protocol/work/read-work-session.ts'
import type { NotRestored, Restored } from '../../protocol/work/resume.ts'
import {
  approvalOf,
  nextApprovalId,
  selectApprovedOfTask,
} from '../../store/approvals/approvals.ts'
import { projectOf } from '../../store/projects/projects.ts'
import { newRow } from '../../store/rows.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { approachOf } from '../../store/work/approaches.ts'
import { type TaskRow, taskOf } from '../../store/work/tasks.ts'
import {
  selectLastCheckpoint,
  stateCheckpoint,
  workSessionRows,
} from '../../store/work/work-session-state.ts'
import { type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { requireManage } from '../access/require-scope.ts'
import type { ProjectCaller } from '../projects/change-project.ts'
import { chooseFolder, managedChange } from '../projects/choose-folder.ts'
import { restoredRows } from './restored-rows.ts'
import { distinct } from './task-dependencies.ts'

interface Input extends ProjectCaller {
  /** Where it belongs. The files must agree. */
  readonly projectId: string
  readonly workSessionId: string
  readonly files: WorkSessionFiles
}

type Report = NotRestored[]

const notRestored = (what: NotRestored['what'], detail: NoticeText): NotRestored => ({
  what,
  ...detailFields('detail', detail),
})

/** The type and author of an approval that the files do not name. */
const importedApproval = 'imported'

export const restoreWorkSession = defineUseCase('restore-work-session', {
  scope: 'write',
  on: 'project',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (
    tx,
    { projectId, workSessionId, files, ...choosing }: Input,
    context,
  ): Promise<Restored> => {
    const read = readWorkSession(files)
    const { by } = choosing
    const { checkpoint } = read
    if (checkpoint.project_id !== projectId || checkpoint.session_id !== workSessionId)
      throw new Refusal(
        'invalid_request',
        refusalText('filesOfOther', { id: checkpoint.session_id, project: checkpoint.project_id }),
      )
    const report: Report = []
    await restoreProject(tx, read, { ...choosing, report }, context)
    const rows = restoredRows(read, by)
    const workSession = await restoreRow(tx, rows.workSession)
    const restored = {
      tasks: await restoreTasks(tx, rows.tasks, by),
      approvals:
        (await restoreApprovals(tx, rows.approvals, report)) +
        (await importApprovals(tx, rows.approved, read, by)),
      approaches: await restoreApproaches(tx, rows.approaches, by),
    }
    if (!(await tx.first(selectLastCheckpoint, { workSessionId }))) {
      const end = rows.wasOver
        ? rows.checkpoints.findLast(({ reason }) => reason === 'ended')
        : undefined
      const state = JSON.stringify(files.checkpoint)
      for (const each of rows.checkpoints)
        await tx.insert('checkpoints', each === end ? { ...each, state } : each)
      if (!end) await storeEndState(tx, workSession, rows.wasOver ? state : undefined)
    }
    report.push(...missingFiles(read), ...(await missingAgents(tx, rows.tasks)))
    return answerOnWire({ workSession: workSessionOf(workSession), restored, notRestored: report })
  },
})

async function restoreProject(
  tx: Tx,
  read: ReadWorkSession,
  { by, scopes, look, report }: ProjectCaller & { report: Report },
  { now }: Context,
): Promise<void> {
  const { project_id: id } = read.checkpoint
  if (await tx.row('projects', { id })) return
  const file = read.project?.id === id ? read.project : null
  const settings = changeSettings({}, file?.settings ?? {})
  if ('problem' in settings)
    report.push(
      notRestored('project', statusNotice('settingsUsual', { why: settings.problem.detail })),
    )
  const path = ProjectPath.nullable().safeParse(file?.path ?? null)
  if (!path.success)
    report.push(
      notRestored(
        'project',
        statusNotice('noPathHere', {
          why: statusNotice('pathNotAbsolute', { path: file?.path ?? '' }),
        }),
      ),
    )
  if (!file) report.push(notRestored('project', statusNotice('noProjectFile', { id })))
  report.push(notRestored('conversation', statusNotice('chatsNotInFiles')))
  const wanted = path.success ? path.data : null
  const chosen = 'chosen' in settings ? settings.chosen : {}
  requireManage(scopes, managedChange({ path: null, chosen: {} }, { path: wanted, chosen }))
  const row = {
    id,
    name: file?.name ?? id,
    path: wanted !== null && look ? await folderOrNull(tx, wanted, look, report) : wanted,
    settings: JSON.stringify(chosen),
    created_at: file?.created_at ?? now,
    updated_at: now,
  }
  await tx.insert('projects', row)
  tx.append(home, { type: 'project-created', data: { project: projectOf(row, []), by } }, [
    projectStream(id),
  ])
}

/**
 * Folders are checked for requests from outside. A rebuild from the store's own files keeps them as
 * they were.
 */
async function folderOrNull(
  tx: Tx,
  wanted: string,
  look: FolderInspection,
  report: Report,
): Promise<string | null> {
  try {
    return await chooseFolder(tx, wanted, look)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    report.push(notRestored('project', statusNotice('noPathHere', { why: error.detail })))
    return null
  }
}

async function restoreRow(tx: Tx, row: WorkSessionRow): Promise<WorkSessionRow> {
  const stored = await tx.row('sessions', { id: row.id })
  if (stored && stored.project_id !== row.project_id)
    throw new Refusal('invalid_request', refusalText('workOfOther', { id: row.id }))
  if (stored) return stored
  await tx.insert('sessions', row)
  const report = { workSession: workSessionOf(row) }
  tx.append(projectStream(row.project_id), { type: 'work-session-started', data: report }, [home])
  tx.append(projectStream(row.project_id), { type: 'work-session-ended', data: report }, [home])
  return row
}

async function restoreTasks(tx: Tx, rows: readonly TaskRow[], by: string): Promise<number> {
  let brought = 0
  for (const row of rows) {
    const { project_id: projectId, id } = row
    if (await tx.row('tasks', { project_id: projectId, id })) continue
    await tx.insert('tasks', row)
    for (const depends_on of distinct(JSON.parse(row.depends_on)))
      await tx.insert('task_dependencies', { project_id: projectId, task_id: id, depends_on })
    tx.append(projectStream(projectId), { type: 'task-created', data: { task: taskOf(row), by } })
    brought++
  }
  return brought
}

async function restoreApprovals(
  tx: Tx,
  rows: readonly Parameters<typeof approvalOf>[0][],
  report: Report,
): Promise<number> {
  let brought = 0
  for (const row of rows) {
    const stored = await tx.row('human_approvals', { id: row.id })
    if (stored?.project_id === row.project_id && stored.submitted_at === row.submitted_at) continue
    const id = stored ? await nextApprovalId(tx) : row.id
    if (stored)
      report.push(
        notRestored('approval', statusNotice('approvalRenumbered', { id: row.id, now: id })),
      )
    const approval = { ...row, id }
    await tx.insert('human_approvals', approval)
    tx.append(
      projectStream(row.project_id),
      { type: 'approval-asked', data: { approval: approvalOf(approval) } },
      [home],
    )
    brought++
  }
  return brought
}

/**
 * Creates approvals for tasks marked as approved without a known approval. They are marked as
 * imported.
 */
async function importApprovals(
  tx: Tx,
  taskIds: readonly string[],
  { checkpoint }: ReadWorkSession,
  by: string,
): Promise<number> {
  const { project_id, session_id, timestamp: at, current_state: state } = checkpoint
  let brought = 0
  for (const task_id of taskIds) {
    if (await tx.first(selectApprovedOfTask, { projectId: project_id, taskId: task_id })) continue
    const row = newRow('human_approvals', {
      id: await nextApprovalId(tx),
      project_id,
      session_id,
      task_id,
      checkpoint_type: importedApproval,
      leader_id: state?.active_agent?.agent_id ?? importedApproval,
      status: 'approved',
      submitted_at: at,
      resolved_at: at,
      // AP7: nobody decides in another's name, and the files do not say whose decision it was.
      decided_by: by,
      imported_decider: '',
    })
    await tx.insert('human_approvals', row)
    tx.append(
      projectStream(project_id),
      { type: 'approval-asked', data: { approval: approvalOf(row) } },
      [home],
    )
    brought++
  }
  return brought
}

/**
 * CK6: stores the file's state as the final one. Work that was running ended when its store was
 * lost.
 */
async function storeEndState(
  tx: Tx,
  { id, ended_at }: WorkSessionRow,
  file: string | undefined,
): Promise<void> {
  const rows = await workSessionRows(tx, id)
  if (!rows || ended_at === null) return
  const number = (rows.checkpoints.at(-1)?.number ?? 0) + 1
  const row = {
    session_id: id,
    number,
    at: ended_at,
    reason: 'ended',
    subject: null,
    error: null,
    state: null,
  } as const
  await tx.insert('checkpoints', { ...row, state: file ?? JSON.stringify(stateCheckpoint(rows)) })
}

async function restoreApproaches(
  tx: Tx,
  rows: readonly Parameters<typeof approachOf>[0][],
  by: string,
): Promise<number> {
  let brought = 0
  for (const row of rows) {
    if (await tx.row('approaches', { project_id: row.project_id, id: row.id })) continue
    await tx.insert('approaches', row)
    tx.append(projectStream(row.project_id), {
      type: 'approach-recorded',
      data: { approach: approachOf(row), by },
    })
    brought++
  }
  return brought
}

function missingFiles({ rows, approaches }: ReadWorkSession): NotRestored[] {
  const missing: NotRestored[] = []
  if (approaches === null) missing.push(notRestored('approach', statusNotice('noApproachesFile')))
  if (rows === null) missing.push(notRestored('history', statusNotice('noHistoryFile')))
  return missing
}

async function missingAgents(reader: Reader, tasks: readonly TaskRow[]): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  for (const agentId of new Set(tasks.map(({ assigned_to }) => assigned_to)))
    if (agentId !== null && !(await reader.row('agents', { id: agentId })))
      missing.push(notRestored('agent', statusNotice('agentNotHere', { agent: agentId })))
  return missing
}
