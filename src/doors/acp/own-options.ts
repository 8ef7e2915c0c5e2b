/**
 * What Holdfast itself lets an editor choose in a session (EC13): its agent, between turns, and
 * where it works, until the first prompt.
 */
import type { Who } from '../../domain/access/caller.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { ConfigChange } from '../../protocol/turns/config-change.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { getConversation } from '../../services/conversations/queries.ts'
import { continueWithAgent } from '../../services/flows/conversations/continue-with-agent.ts'
import { placeDraft } from '../../services/flows/conversations/place-draft.ts'
import { getProject } from '../../services/projects/queries.ts'
import { placeIn } from './choose-place.ts'
import { codes, failure } from './failures.ts'
import type { AcpOffers, AcpOption } from './offers.ts'

const agentOption = 'holdfast.agent'
const placeOption = 'holdfast.place'

export const isOwn = (change: ConfigChange): change is OwnChange =>
  'optionId' in change && (change.optionId === agentOption || change.optionId === placeOption)

type OwnChange = Extract<ConfigChange, { optionId: string }>

export const offersPlace = ({ configOptions }: AcpOffers): boolean =>
  configOptions.some(({ id }) => id === placeOption)

export interface EditorFolder {
  readonly key: string
  /** The folder that the editor has open; null: not known. */
  readonly cwd: string | null
}

/** What a begun session of a project offers; where there is nothing to choose, none. */
export async function ownOptions(
  { app }: Pick<ServerDependencies, 'app'>,
  who: Who,
  { kind, projectId, agentId, messageCount, workplace }: Conversation,
  { cwd }: EditorFolder,
): Promise<AcpOption[]> {
  if (kind !== 'session' || projectId === null || agentId === null) return []
  const options: AcpOption[] = []
  const { agentIds } = await app.read(getProject, { projectId }, who)
  if (agentIds.length > 1)
    options.push({
      id: agentOption,
      name: 'Agent',
      category: '_agent',
      type: 'select',
      currentValue: agentId,
      options: agentIds.map((value) => ({ value, name: value })),
    })
  if (messageCount === 0 && cwd !== null)
    options.push({
      id: placeOption,
      name: 'Works in',
      category: '_place',
      type: 'select',
      currentValue: workplace?.kind === 'worktree' ? 'worktree' : 'folder',
      options: [
        { value: 'folder', name: 'Open folder' },
        { value: 'worktree', name: 'New worktree' },
      ],
    })
  return options
}

export async function setOwn(
  { app }: Pick<ServerDependencies, 'app'>,
  who: Who,
  { optionId, value }: OwnChange,
  { key, cwd }: EditorFolder,
): Promise<void> {
  if (optionId === agentOption) {
    await app.run(continueWithAgent, { key, agentId: String(value), by: who.id }, who)
    return
  }
  const { projectId } = await app.read(getConversation, { key, personId: who.id }, who)
  if (cwd === null || projectId === null || (value !== 'folder' && value !== 'worktree'))
    throw failure(codes.params, `${placeOption} is "folder" or "worktree".`)
  const project = await app.read(getProject, { projectId }, who)
  const workplace = value === 'worktree' ? value : placeIn(project, cwd)
  await app.run(placeDraft, { key, workplace, by: who.id, scopes: who.scopes }, who)
}
