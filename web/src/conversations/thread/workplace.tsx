/** Shows the folder that the agent of a chat works in, with a way to choose another (CX9). */
import type { Conversation } from '../../../../src/protocol/conversations/conversation.ts'
import type { ConversationWorkspace } from '../../../../src/protocol/conversations/conversation-workspace.ts'
import { client, invalidate } from '../../live/queries.ts'
import { useSending } from '../../live/sending.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useWords } from '../../translations/messages.tsx'

interface WorkplaceProps {
  readonly about: Conversation | undefined
  readonly place: { readonly projectId: string; readonly agentId: string }
  readonly mayWrite: boolean
}

export function WorkplaceLine({ about, place, mayWrite }: WorkplaceProps) {
  const { workplace: words } = useWords().chat
  const { waiting, error, send } = useSending()
  if (!about?.workplace) return null
  const { key } = about
  const { kind, folder, branch } = about.workplace
  const choose = (workplace: 'worktree' | 'checkout') => {
    const query = { agentId: place.agentId, workplace }
    const path = '/api/projects/{projectId}/chat/start'
    return act(workplace, (options) =>
      client.post(path, { params: { projectId: place.projectId }, query, ...options }),
    )
  }
  const act = async (what: string, ask: Parameters<typeof send>[1]) => {
    await send(what, ask)
    await invalidate(['conversation', key])
  }
  // The first message fixes it.
  const mayChoose = about.opening == null && (folder !== null || kind === 'worktree')
  const other = kind === 'worktree' ? 'checkout' : 'worktree'
  return (
    <div
      className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-quiet"
      data-workplace={kind}
    >
      <span className="truncate" title={folder ?? undefined}>
        {words.kinds[kind satisfies ConversationWorkspace['kind']]}
        {branch && <span className="font-mono"> {branch}</span>}
      </span>
      {mayWrite && mayChoose && (
        <SubmitButton
          look="quiet"
          type="button"
          waiting={waiting}
          onClick={() => void choose(other)}
        >
          {words.choose[other]}
        </SubmitButton>
      )}
      <ProblemNote error={error} />
    </div>
  )
}
