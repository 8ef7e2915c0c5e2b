/** The files that a worktree had when it went, for one that is made in its place (SL6). */
import type { AcpParticulars } from '../../protocol/turns/link.ts'
import type { FileStates } from '../file-states/file-states.ts'
import type { WantedWorkspace } from './make-workspace.ts'

export interface KeptFilesReader {
  readonly fileStates: Pick<FileStates, 'forkBase' | 'write'>
}

/** Undefined: there are none, or they are kept no more. */
export async function keptFiles(
  { fileStates }: KeptFilesReader,
  from: NonNullable<AcpParticulars['workspace']>['from'],
  projectFolder: string | null,
): Promise<WantedWorkspace['files']> {
  if (!from || projectFolder === null) return undefined
  const { key, state } = from
  const base = await fileStates.forkBase(projectFolder, state)
  return base === null ? undefined : { base, write: (top) => fileStates.write(top, state, key) }
}
