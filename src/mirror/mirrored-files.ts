/**
 * The paths of the mirrored files, and whether each is written: what endpoints may know of the
 * files beside the database.
 */
import { join } from 'node:path'
import { Refusal } from '../domain/errors.ts'
import {
  conversationStream,
  noteStream,
  projectStream,
  type StreamName,
} from '../domain/stream-name.ts'
import { coordinatorLog } from '../platform/files/data-folder.ts'
import { succeeds } from '../platform/for-each-settled.ts'
import { useOfLog } from '../platform/log/log-file.ts'
import { workSessionFileNames } from '../protocol/work/read-work-session.ts'
import { selectNameOf } from '../store/conversations/conversations.ts'
import type { Store } from '../store/store.ts'
import { notePath } from './conversation-file.ts'
import { namesOf } from './conversation-name.ts'
import type { Mirror } from './mirror.ts'
import { workSessionFolder } from './work-session-folders.ts'

interface MirroredFilesOptions {
  readonly mirror: Mirror
  readonly store: Store
  readonly data: string
  readonly noteDay: (day: string) => Promise<void>
}

export const mirroredFiles = ({ mirror, store, data, noteDay }: MirroredFilesOptions) => ({
  checkpointPath: (projectId: string, workSessionId: string): string =>
    join(
      data,
      'projects',
      projectId,
      workSessionFolder(workSessionId),
      workSessionFileNames.checkpoint,
    ),
  written: (projectId: string): Promise<boolean> => isSettled(mirror, projectStream(projectId)),
  saveConversation: (key: string): Promise<string> => saveConversation(mirror, store, data, key),
  notePath: (day: string): string => notePath(data, day),
  logs: () => useOfLog(coordinatorLog(data)),
  noteWritten: async (day: string): Promise<boolean> => {
    await noteDay(day)
    return isSettled(mirror, noteStream(day))
  },
})

const isSettled = (mirror: Mirror, stream: StreamName): Promise<boolean> =>
  succeeds(mirror.settled(stream))

/**
 * CV1 `save`: writes the file of a conversation with everything committed before, and returns its
 * path when it is on the disk.
 */
export async function saveConversation(
  mirror: Mirror,
  store: Store,
  data: string,
  key: string,
): Promise<string> {
  await mirror.settled(conversationStream(key)).catch((error: Error) => {
    throw new Refusal('file_not_written', error.message)
  })
  const hasPlain = await store.read((reader) => reader.first(selectNameOf, { key }))
  const { plain, apart } = namesOf(data, key)
  return hasPlain ? plain : apart
}
