/**
 * Leads to the page on which the worktree of a conversation is reviewed (UI12), or what one of its
 * turns changed there.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWords } from '../../translations/messages.tsx'
import { conversation } from '../conversation-queries.ts'

interface ReviewLinkProps {
  readonly conversationKey: string
  readonly turnId?: string
  readonly className: string
}

/** Nothing while the conversation has no worktree of its own. */
export function ReviewLink({ conversationKey, turnId, className }: ReviewLinkProps) {
  const { files: words } = useWords()
  const { projectId, workplace } =
    useQuery({ ...conversation(conversationKey), retry: false }).data ?? {}
  if (!projectId || workplace?.kind !== 'worktree' || !workplace.worktreeId) return null
  return (
    <Link
      to="/projects/$projectId/review/$worktreeId"
      params={{ projectId, worktreeId: workplace.worktreeId }}
      search={turnId === undefined ? {} : { turn: turnId }}
      className={className}
    >
      {words.review}
    </Link>
  )
}
