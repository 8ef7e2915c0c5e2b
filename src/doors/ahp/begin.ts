/**
 * Sessions that a client begins and lets go: in the project of the folder it has open, with the
 * agent that its URI names. Nothing is listed or started before the first prompt.
 */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { WorkspaceChoice } from '../../protocol/conversations/conversation-workspace.ts'
import type { Project } from '../../protocol/projects/project.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { archiveConversation } from '../../services/conversations/mark-conversation.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { nameThread } from '../../services/conversations/thread-names.ts'
import { beginThread } from '../../services/flows/conversations/begin-thread.ts'
import { deleteConversation } from '../../services/flows/conversations/delete-conversation.ts'
import { listProjects } from '../../services/projects/queries.ts'
import { AhpError } from './json-rpc.ts'
import { agentOf } from './names.ts'

const Folder = z.string().min(1).max(4096)

export const CreateSession = z.object({
  channel: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*:\/[\w.~-]+$/i)
    .max(200),
  provider: z.string().min(1).max(1000),
  workingDirectories: z.array(Folder).max(20).optional(),
  workingDirectory: Folder.optional(),
  config: z.looseObject({ isolation: z.string().max(100).optional() }).optional(),
})

/** Keys with the meaning that VS Code gives them; what is not shown has no value either. */
export const threadConfig = {
  schema: {
    type: 'object',
    properties: {
      isolation: {
        type: 'string',
        title: 'Isolation',
        description: 'Where the agent works',
        enum: ['folder', 'worktree'],
        enumLabels: ['Folder', 'Worktree'],
        default: 'folder',
      },
    },
  },
  values: { isolation: 'folder' },
}

type Deps = Pick<ServerDependencies, 'app'>

export async function createThread(
  deps: Deps,
  who: Who,
  given: z.output<typeof CreateSession>,
): Promise<void> {
  const { channel: name, provider, config } = given
  const agentId = agentOf(provider)
  const [directory = given.workingDirectory] = given.workingDirectories ?? []
  const { project, folder } = await projectAt(deps, who, directory)
  if (!project.agentIds.includes(agentId))
    throw new AhpError(
      'noProvider',
      `${agentId} is not assigned to the project ${project.name}. Assign it, or choose another`,
    )
  const begun = {
    projectId: project.id,
    agentId,
    workplace: workplaceOf(config?.isolation, project, folder),
    clientId: name,
    by: who.id,
    scopes: who.scopes,
  }
  const { key } = await deps.app.run(beginThread, begun, who)
  await deps.app.run(nameThread, { key, personId: who.id, name }, who)
}

function workplaceOf(
  isolation: string | undefined,
  { path }: Project,
  folder: string,
): WorkspaceChoice {
  if (isolation === 'worktree') return 'worktree'
  return folder === path ? 'checkout' : { folder }
}

const maxProjects = 200

/** The project of the deepest folder that holds it, links resolved. */
async function projectAt(
  { app }: Deps,
  who: Who,
  uri: string | undefined,
): Promise<{ project: Project; folder: string }> {
  const folder = uri === undefined ? undefined : await realpath(pathOf(uri)).catch(() => undefined)
  if (folder === undefined)
    throw new AhpError('denied', 'Open a folder of this machine that belongs to a project')
  const { items } = await app.read(listProjects, { limit: maxProjects }, who)
  for (let each = folder; ; each = dirname(each)) {
    const project = items.find(({ path }) => path === each)
    if (project) return { project, folder }
    if (each === dirname(each)) break
  }
  throw new AhpError(
    'denied',
    `${folder} is in no project. Make one: holdfast projects create NAME --path ${folder}`,
  )
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri)
  } catch {
    throw new AhpError('denied', `${uri} is no folder of this machine`)
  }
}

/** One in which nobody has said anything goes; any other is archived for this person. */
export async function disposeThread({ app }: Deps, who: Who, key: string): Promise<void> {
  const conversation = await app.read(getConversation, { key, personId: who.id }, who)
  const { messageCount, title } = conversation
  if (messageCount > 0 || title !== null) {
    await app.run(archiveConversation, { key, archived: true, by: who.id }, who)
    return
  }
  try {
    await app.run(deleteConversation, { key, by: who.id }, who)
  } catch (error) {
    // Somebody else removed the draft meanwhile.
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error
  }
}
