/** Creates a project with its own settings (NA10) and a generated id (ID1). */

import type * as z from 'zod'
import type { Scope } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectId } from '../../domain/ids.ts'
import type { FolderInspection } from '../../domain/projects/folder.ts'
import { changeSettings } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Project, ProjectDraft } from '../../protocol/projects/project.ts'
import { selectPosition } from '../../store/log/event-log.ts'
import { projectOf } from '../../store/projects/projects.ts'
import { type Context, defineUseCase, type Reader } from '../../store/store.ts'
import { invalidSetting } from '../refusals.ts'
import { chooseFolder, managedChange, requireManage } from './choose-folder.ts'

/** The random part has two thousand million values a day, so this many collisions mean broken randomness. */
const maxIdTries = 10

export interface ProjectCaller {
  readonly by: string
  /** The caller's scopes. Left out for the server itself. */
  readonly scopes?: readonly Scope[] | undefined
  /** What was found at the path. */
  readonly look?: FolderInspection | undefined
}

export const createProject = defineUseCase('create-project', {
  streams: () => [home],
  run: async (tx, input: z.output<typeof ProjectDraft> & ProjectCaller, context): Promise<Project> => {
    // CX9: with git, each conversation gets its own worktree by default.
    const asked = input.look?.hasGit ? { 'chat.workplace': 'worktree', ...input.settings } : (input.settings ?? {})
    const settings = changeSettings({}, asked)
    if ('problem' in settings) throw invalidSetting(settings.problem)
    const wanted = input.path ?? null
    requireManage(input.scopes, managedChange({ path: null, chosen: {} }, { path: wanted, chosen: settings.chosen }))
    const row = {
      id: await freeId(tx, context),
      name: input.name,
      path: wanted === null ? null : await chooseFolder(tx, wanted, input.look),
      settings: JSON.stringify(settings.chosen),
      created_at: context.now,
      updated_at: context.now,
    }
    await tx.insert('projects', row)
    const project = projectOf(row, [])
    const stream = projectStream(row.id)
    tx.begin(stream)
    tx.append(home, { type: 'project-created', data: { project, by: input.by } }, [stream])
    return project
  },
})

async function freeId(reader: Reader, { now, random }: Context): Promise<string> {
  for (let tries = 0; tries < maxIdTries; tries++) {
    const id = projectId(now, random.text)
    // A stream outlives its project, so ids of deleted projects are not reused.
    if (!(await reader.first(selectPosition, { name: projectStream(id) }))) return id
  }
  throw new Refusal('internal', refusalText('noFreeProjectId', { tries: maxIdTries }))
}
