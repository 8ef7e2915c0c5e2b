/** The sessions that an editor may load, newest first, of any agent and door. */
import { isAbsolute } from 'node:path'
import type { Who } from '../../domain/access/caller.ts'
import { isChat } from '../../domain/conversations/key.ts'
import type { Conversation, ListedConversation } from '../../protocol/conversations/conversation.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { listConversations } from '../../services/conversations/queries.ts'
import { getProject } from '../../services/projects/queries.ts'
import { projectOfFolder } from './choose-place.ts'
import { codes, failure } from './failures.ts'

const pageSize = 50

/** Those that a person has with an agent, once something was said. */
const isListed = ({ kind, agentId, lastMessage }: ListedConversation): boolean =>
  isChat(kind) && agentId !== null && lastMessage !== null

export async function listThreads(
  deps: ServerDependencies,
  who: Who,
  { cwd, cursor }: { readonly cwd?: string | null; readonly cursor?: string | null },
) {
  if (cwd && !isAbsolute(cwd)) throw failure(codes.params, 'cwd must be an absolute path.')
  const project = cwd ? await projectOfFolder(deps, who, cwd) : undefined
  if (cwd && !project) return { sessions: [] }
  const page = await deps.app.read(
    listConversations,
    {
      personId: who.id,
      archived: false,
      limit: pageSize,
      ...(project && { projectId: project.id }),
      ...(cursor && { cursor }),
    },
    who,
  )
  const folders = new Map<string, string | null>()
  const infos = []
  for (const each of page.items) {
    if (!isListed(each)) continue
    const folder = await folderOf(deps, who, each, folders)
    if (folder === null) continue
    infos.push({
      sessionId: each.key,
      cwd: folder,
      title: each.title,
      updatedAt: each.lastTurnAt,
      _meta: { holdfast: { agent: each.agentId, state: each.activity ?? 'idle' } },
    })
  }
  return { sessions: infos, ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) }
}

/** Where its agent works, else the project's folder; null where there is none. */
async function folderOf(
  { app }: ServerDependencies,
  who: Who,
  { workplace, projectId }: Conversation,
  folders: Map<string, string | null>,
): Promise<string | null> {
  if (workplace?.directory) return workplace.directory
  if (projectId === null) return null
  const found = folders.get(projectId)
  if (found !== undefined) return found
  const { path } = await app.read(getProject, { projectId }, who)
  folders.set(projectId, path)
  return path
}
