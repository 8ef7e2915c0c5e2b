/** What the doors may know of the files beside the database: where a checkpoint lies, and whether it is written. */
import { join } from 'node:path'
import { projectStream } from '../domain/stream/name.ts'
import type { Mirror } from './mirror.ts'
import { checkpointName, workSessionFolder } from './work-session-folders.ts'

export const filesBeside = (mirror: Mirror, data: string) => ({
  checkpointPath: (projectId: string, workSessionId: string): string =>
    join(data, 'projects', projectId, workSessionFolder(workSessionId), checkpointName),
  written: (projectId: string): Promise<boolean> =>
    mirror.settled(projectStream(projectId)).then(
      () => true,
      () => false,
    ),
})
