/**
 * Where a conversation's work is landed from, who lands it, and what the project says of it (LD).
 */
import { ownerId } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { identityIn, rolePlaceOf } from '../../store/conversations/conversation-identity.ts'
import { selectFirstWords } from '../../store/review/landings.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { selectRunningAtTop } from '../../store/turns/turn-files.ts'
import { selectRunningIn } from '../../store/turns/turns.ts'
import { selectOfConversation, selectOfRole } from '../../store/worktrees/worktrees.ts'
import { existingConversation, streamOfKey } from '../conversations/conversation-record.ts'
import { settingsFrom } from '../projects/project-record.ts'

export interface LandingPlace {
  readonly coordinatorId: string
  readonly projectId: string
  readonly worktreeId: string
  readonly top: string
  readonly branch: string
  readonly baseBranch: string | null
  /** Proposed as its message: the title and what was asked. */
  readonly message: string
  readonly title: string
  readonly person: { readonly name: string; readonly email: string; readonly ofOwner: boolean }
  readonly coAuthor: string | null
  readonly check: string[] | null
  readonly protectedBranches: string[]
  readonly agentWorks: boolean
}

const maxPrompts = 20
const maxPromptChars = 200

export const findLandingPlace = defineQuery('find-landing-place', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { key, by }: { key: string; by: string }): Promise<LandingPlace> => {
    streamOfKey(key)
    const row = await existingConversation(reader, key)
    const role = rolePlaceOf(identityIn(row))
    const tree = role
      ? await reader.first(selectOfRole, role)
      : await reader.first(selectOfConversation, { key })
    if (tree?.kind !== 'worktree' || tree.branch === null)
      throw new Refusal('wrong_state', refusalText('noOwnBranch'))
    const { coordinator_id: coordinatorId, project_id: projectId, top } = tree
    const project = await reader.row('projects', { id: projectId })
    const settings = settingsFrom(project?.settings ?? '{}')
    const person = await reader.row('people', { id: by })
    const agent = await reader.row('agents', { id: tree.agent_id })
    const running = [
      ...(await reader.all(selectRunningIn, { key })),
      ...(await reader.all(selectRunningAtTop, { coordinatorId, top })),
    ]
    const words = await wordsOf(reader, key, row.title)
    const check = String(settings['land.check']).trim()
    return {
      coordinatorId,
      projectId,
      worktreeId: tree.id,
      top,
      branch: tree.branch,
      baseBranch: tree.base_branch,
      ...words,
      person: {
        name: person?.name ?? by,
        email: `${by}@people.holdfast.invalid`,
        ofOwner: by === ownerId || person?.role === 'owner',
      },
      coAuthor:
        agent && settings['land.co_author'] === 'yes'
          ? `${agent.name.replaceAll(/[<>]/g, '')} <${agent.id}@agents.holdfast.invalid>`
          : null,
      check: check === '' ? null : ['sh', '-c', check],
      protectedBranches: String(settings['land.protected'])
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
      agentWorks: running.length > 0,
    }
  },
})

/** At once and free of charge; nothing of the agent's text is in it. */
async function wordsOf(
  reader: Reader,
  key: string,
  given: string | null,
): Promise<{ title: string; message: string }> {
  const prompts = (await reader.all(selectFirstWords, { key, limit: maxPrompts })).map(
    ({ beginning }) => shortened(beginning),
  )
  const title = shortened(given ?? prompts[0] ?? 'Work of an agent')
  const list = prompts.filter((prompt) => prompt !== title).map((prompt) => `- ${prompt}`)
  return { title, message: [title, ...(list.length > 0 ? ['', ...list] : [])].join('\n') }
}

function shortened(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const words = line.replace(/^#+\s*/, '')
  return words.length > maxPromptChars ? `${words.slice(0, maxPromptChars)}…` : words || '…'
}
