/**
 * Removing a worktree: what would be lost is asked of its machine and shown; confirmed is exactly
 * that, and when it has changed it is asked anew (WT3).
 */
import { useQuery } from '@tanstack/react-query'
import type { Losses, Worktree } from '../../../src/protocol/worktrees/worktree.ts'
import { client, invalidate } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'

const one = '/api/projects/{projectId}/worktrees/{worktreeId}'
/** The number of entries listed of each kind; the rest is counted. */
const mostNamed = 10

interface RemoveProps {
  readonly worktree: Worktree
  readonly onClose: () => void
  readonly onRemoved: () => void
}

export function RemoveWorktree({ worktree, onClose, onRemoved }: RemoveProps) {
  const { worktrees: words } = useWords()
  const params = { projectId: worktree.projectId, worktreeId: worktree.id }
  const losses = useQuery<Losses | null>({
    queryKey: ['worktree-losses', worktree.id],
    queryFn: ({ signal }) =>
      worktree.kind === 'plain' ? null : client.get(`${one}/losses`, { params, signal }),
    staleTime: 0,
  })
  const { send, waiting, error } = useRequest()
  const remove = async () => {
    const query = losses.data ? { confirm: losses.data.digest } : {}
    const removed = await send(() => client.delete(one, { params, query }))
    // First: the page of this worktree stops asking for it.
    if (removed) onRemoved()
    await invalidate(['worktree'])
    await invalidate(['worktrees', worktree.projectId])
    if (!removed) await losses.refetch()
  }
  const isChanged = problemIn(error)?.code === 'would_lose'
  return (
    <Confirm
      title={words.remove}
      open
      onClose={onClose}
      action={
        <SubmitButton
          type="button"
          look="danger"
          waiting={waiting || losses.isFetching}
          onClick={() => losses.data !== undefined && void remove()}
        >
          {words.remove}
        </SubmitButton>
      }
    >
      <p className="font-mono text-sm [overflow-wrap:anywhere]">
        {worktree.branch ?? worktree.folder}
      </p>
      <p>{words.removeText}</p>
      <ProblemNote error={losses.error} onRetry={() => void losses.refetch()} />
      {losses.data && <WhatIsLost losses={losses.data} />}
      <ProblemNote error={isChanged && !losses.data ? undefined : error} />
    </Confirm>
  )
}

export function WhatIsLost({ losses: { files, commits, unfinished } }: { losses: Losses }) {
  const { worktrees: words } = useWords()
  if (files.length + commits.length + unfinished.length === 0) return <p>{words.removeNothing}</p>
  return (
    <div className="flex flex-col gap-1 text-sm [overflow-wrap:anywhere]">
      <p className="font-medium text-bad">{words.lost}</p>
      {files.length > 0 && (
        <Named title={words.lostFiles(files.length)} names={files.map(({ path }) => path)} />
      )}
      {commits.length > 0 && (
        <Named
          title={words.lostCommits(commits.length)}
          names={commits.map(({ subject }) => subject)}
        />
      )}
      {unfinished.map((what) => (
        <p key={what}>{words.lostUnfinished(what)}</p>
      ))}
    </div>
  )
}

const Named = ({ title, names }: { title: string; names: readonly string[] }) => (
  <div>
    <p>{title}</p>
    <ul className="list-disc pl-5 font-mono text-xs">
      {names.slice(0, mostNamed).map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: subjects of commits may be the same
        <li key={at}>{name}</li>
      ))}
      {names.length > mostNamed && <li>…</li>}
    </ul>
  </div>
)
