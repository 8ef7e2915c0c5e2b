/**
 * Writes the mirrored files (CK2, CH7, CV6) from the store into any folder, also while a server
 * runs.
 */
import { parseStream } from '../domain/stream-name.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { chatLog } from '../mirror/line-log.ts'
import type { MirrorSource, MirrorTarget } from '../mirror/mirror.ts'
import { projectFolder } from '../mirror/project-folder.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { identityOf } from '../store/conversations/conversation-identity.ts'
import { selectEventsAfter, selectStreamsAfter } from '../store/log/event-log.ts'
import { selectMeta } from '../store/meta.ts'
import type { Reader } from '../store/store.ts'
import { writeTurns } from './exported-turns.ts'
import { readDatabase } from './read-database.ts'

const streamsAtOnce = 500
const targets = [projectFolder, chatLog, conversationFile] as const

export interface Exported {
  readonly folder: string
  readonly projects: number
  readonly chats: number
  readonly conversations: number
}

interface Asked {
  readonly folder: string
  /** Exports only this project; all when left out. */
  readonly projectId?: string | undefined
  readonly onStream?: (written: number) => void
}

export async function exportFiles(
  config: ConfigValues,
  { folder, projectId, onStream }: Asked,
): Promise<Exported> {
  return readDatabase(config, async (reader) => {
    const store = await sourceOf(reader)
    const written = new Map<MirrorTarget, number>()
    for (let after = ''; ; ) {
      const streams = await reader.all(selectStreamsAfter, { name: after, limit: streamsAtOnce })
      for (const { name } of streams) {
        const { kind, id } = parseStream(name) ?? { kind: 'home', id: '' }
        if (projectId !== undefined && !(await isOf(reader, projectId, { kind, id }))) continue
        for (const target of targets.filter((each) => each.kind === kind && each.covers(id))) {
          await target.write({ store, data: folder, stream: name, id })
          if (target === conversationFile) await writeTurns(reader, folder, id)
          if (kind !== 'conversation' || (await reader.row('conversations', { key: id })))
            written.set(target, (written.get(target) ?? 0) + 1)
        }
        onStream?.(written.values().reduce((sum, each) => sum + each, 0))
      }
      const last = streams.at(-1)
      if (!last || streams.length < streamsAtOnce) break
      after = last.name
    }
    const [projects = 0, chats = 0, conversations = 0] = targets.map((target) =>
      written.get(target),
    )
    return { folder, projects, chats, conversations }
  })
}

/** Whether a stream is the project's own or a chat in it. */
async function isOf(
  reader: Reader,
  projectId: string,
  { kind, id }: { readonly kind: string; readonly id: string },
): Promise<boolean> {
  if (kind !== 'conversation') return id === projectId
  const conversation = await identityOf(reader, id)
  return conversation.kind === 'web' && conversation.projectId === projectId
}

async function sourceOf(reader: Reader): Promise<MirrorSource> {
  return {
    incarnation: (await reader.first(selectMeta, { key: 'incarnation' }))?.value ?? '',
    read: (work) => work(reader),
    eventsAfter: (stream, after, limit) => reader.all(selectEventsAfter, { stream, after, limit }),
  }
}
