/**
 * The link from a role to what its agent has changed, with the number of files. Refreshed when a
 * turn has ended.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Pane } from '../consoles/console-state.ts'
import { invalidate } from '../live/queries.ts'
import { useWords } from '../translations/messages.tsx'
import { worktreeOfRole } from './worktree-queries.ts'

export function Changes({ pane: { role, agent, entries } }: { pane: Pane }) {
  const {
    worktrees: words,
    files: { review },
  } = useWords()
  const { projectId, userSessionId } = useParams({
    from: '/shell/projects/$projectId/console/$userSessionId',
  })
  const { data } = useQuery(worktreeOfRole(projectId, userSessionId, role))
  const ended = entries.filter((entry) => entry.kind === 'turn' && entry.state !== 'running').length
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn that ended, or an agent that came, is what makes it look again
  useEffect(() => {
    void invalidate(['worktree', projectId, userSessionId, role])
  }, [ended, agent?.branch, projectId, userSessionId, role])
  if (!data) return null
  const files = data.state?.fileCount ?? 0
  return (
    <Link
      to="/projects/$projectId/review/$worktreeId"
      params={{ projectId, worktreeId: data.worktree.id }}
      className="flex min-h-6 items-center text-xs text-quiet underline decoration-line underline-offset-2 hover:text-ink max-md:min-h-8"
      title={files > 0 ? words.files(files) : undefined}
    >
      {review}
      {files > 0 && ` (${files})`}
    </Link>
  )
}
