/** Shows the folder that the agent of a chat works in, with a way to choose another; and whether it waits for the folder, with a way not to (CX9). */
import type { Conversation } from '../../../src/protocol/conversations/conversation.ts'
import type { ConversationWorkspace } from '../../../src/protocol/conversations/conversation-workspace.ts'
import { client, invalidate } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

interface WorkplaceProps {
  readonly about: Conversation | undefined
  readonly place: { readonly projectId: string; readonly agentId: string }
  readonly mayWrite: boolean
}

export function WorkplaceLine({ about, place, mayWrite }: WorkplaceProps) {
  const { workplace: words } = useWords().chat
  const { waiting, error, send } = useSending()
  if (!about?.workplace) return null
  const { key, waitsFor } = about
  const { kind, folder, branch } = about.workplace
  const choose = (workplace: 'worktree' | 'checkout') => {
    const query = { agentId: place.agentId, workplace }
    const path = '/api/projects/{projectId}/chat/start'
    return act(workplace, (options) => client.post(path, { params: { projectId: place.projectId }, query, ...options }))
  }
  const act = async (what: string, ask: Parameters<typeof send>[1]) => {
    await send(what, ask)
    await invalidate(['conversation', key])
  }
  const begin = () => act('begin', (options) => client.post('/api/conversations/{key}/begin', { params: { key }, ...options }))
  const other = kind === 'worktree' ? 'checkout' : 'worktree'
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-quiet" data-workplace={kind}>
      <span className="truncate" title={folder ?? undefined}>
        {words.kinds[kind satisfies ConversationWorkspace['kind']]}
        {branch && <span className="font-mono"> {branch}</span>}
      </span>
      {mayWrite && (folder !== null || kind === 'worktree') && (
        <SubmitButton look="quiet" type="button" waiting={waiting} onClick={() => void choose(other)}>
          {words.choose[other]}
        </SubmitButton>
      )}
      {waitsFor && (
        <p role="status" className="flex w-full flex-wrap items-center gap-x-2 text-warn">
          {words.waits}
          {mayWrite && (
            <SubmitButton look="plain" type="button" waiting={waiting} onClick={() => void begin()}>
              {words.begin}
            </SubmitButton>
          )}
        </p>
      )}
      <ProblemNote error={error} />
    </div>
  )
}
