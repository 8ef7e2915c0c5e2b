/** The changes of an agent in its worktree, with commit and merge (WT2, WT6). Refreshed when the agent has done something. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Pane } from '../consoles/console-state.ts'
import { invalidate, useMay } from '../live/queries.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { CommitForm, MergeForm } from './commit-and-merge.tsx'
import { RemoveWorktree } from './remove-worktree.tsx'
import { type RoleWorktree, worktreeOfRole } from './worktree-queries.ts'

export function Changes({ pane }: { pane: Pane }) {
  const { worktrees: words } = useWords()
  const [open, setOpen] = useState(false)
  const files = useChangedFiles(pane)
  return (
    <>
      <button
        type="button"
        className="min-h-6 text-xs text-quiet underline decoration-line underline-offset-2 hover:text-ink max-md:min-h-8"
        title={files > 0 ? words.files(files) : undefined}
        onClick={() => setOpen(true)}
      >
        {words.changes}
        {files > 0 && ` (${files})`}
      </button>
      <Drawer title={words.changesOf(pane.role)} open={open} onClose={() => setOpen(false)}>
        {open && <Content pane={pane} onRemoved={() => setOpen(false)} />}
      </Drawer>
    </>
  )
}

/** The number of changed files when the last turn ended. */
function useChangedFiles({ role, agent, entries }: Pane): number {
  const { projectId, userSessionId } = useParams({ from: '/shell/projects/$projectId/console/$userSessionId' })
  const ended = entries.filter((entry) => entry.kind === 'turn' && entry.state !== 'running').length
  const { data } = useQuery({ ...worktreeOfRole(projectId, userSessionId, role), enabled: ended > 0 && agent?.branch != null })
  useEffect(() => {
    if (ended > 0) void invalidate(['worktree', projectId, userSessionId, role])
  }, [ended, projectId, userSessionId, role])
  return data?.state?.fileCount ?? 0
}

/** A number that is another one whenever the agent has called a tool or ended a turn. */
const ringOf = ({ entries }: Pane): string =>
  entries.map((entry) => (entry.kind === 'turn' ? `${entry.items.length}${entry.state}` : entry.kind)).join()

function Content({ pane, onRemoved }: { pane: Pane; onRemoved: () => void }) {
  const words = useWords()
  const { projectId, userSessionId } = useParams({ from: '/shell/projects/$projectId/console/$userSessionId' })
  const query = worktreeOfRole(projectId, userSessionId, pane.role)
  const found = useQuery(query)
  const ring = ringOf(pane)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ring is what makes it look again
  useEffect(() => {
    void invalidate(['worktree', projectId, userSessionId, pane.role])
  }, [ring, projectId, userSessionId, pane.role])
  if (found.error && !found.data) return <ProblemNote error={found.error} onRetry={() => void found.refetch()} />
  if (found.data === undefined) return <Waiting what={words.worktrees.changes} onRetry={() => void found.refetch()} />
  if (found.data === null) {
    return (
      <div>
        <p className="font-medium">{words.worktrees.none}</p>
        <p className="text-quiet">{words.worktrees.noneText}</p>
      </div>
    )
  }
  return <Worktree key={found.data.worktree.id} found={found.data} onChange={() => void found.refetch()} onRemoved={onRemoved} />
}

interface WorktreeProps {
  readonly found: RoleWorktree
  readonly onChange: () => void
  readonly onRemoved: () => void
}

function Worktree({ found: { worktree, state }, onChange, onRemoved }: WorktreeProps) {
  const { worktrees: words } = useWords()
  const translate = useSaid()
  const mayWrite = useMay('write')
  const [removing, setRemoving] = useState(false)
  const patch = `/api/projects/${encodeURIComponent(worktree.projectId)}/worktrees/${encodeURIComponent(worktree.id)}/patch`
  return (
    <>
      <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        {worktree.branch && (
          <span className="min-w-0 font-mono [overflow-wrap:anywhere]">{state?.branch ?? worktree.branch}</span>
        )}
        {state?.ahead != null && <span>{words.ahead(state.ahead)}</span>}
        {state?.behind != null && <span>{words.behind(state.behind)}</span>}
        {state && state.uncommitted > 0 && <span className="text-warn">{words.uncommitted(state.uncommitted)}</span>}
      </p>
      <SetUpNote worktree={worktree} />
      {!state && (
        <p className="text-quiet">
          {words.plain} {worktree.note && translate(worktree.note)}
        </p>
      )}
      {state && <ChangedFiles worktree={worktree} state={state} />}
      {state && mayWrite && state.uncommitted > 0 && <CommitForm worktree={worktree} onChange={onChange} />}
      {state && mayWrite && <MergeForm worktree={worktree} state={state} onChange={onChange} />}
      <div className="flex flex-wrap items-center gap-2">
        {state && (
          <a href={patch} download className={buttonClass()}>
            {words.patch}
          </a>
        )}
        {mayWrite && (
          <Button look="danger" onClick={() => setRemoving(true)}>
            {words.remove}
          </Button>
        )}
      </div>
      {state?.command && (
        <p className="flex min-w-0 items-center gap-1 rounded-md bg-sunken px-3 py-1">
          <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{state.command}</code>
          <CopyText text={state.command} what={words.command} />
        </p>
      )}
      {removing && <RemoveWorktree worktree={worktree} onClose={() => setRemoving(false)} onRemoved={onRemoved} />}
    </>
  )
}

/** WT5: what was done to make it runnable, and what came of it. */
function SetUpNote({ worktree: { setUp } }: { worktree: RoleWorktree['worktree'] }) {
  const translate = useSaid()
  const { worktrees: words } = useWords()
  if (!setUp) return null
  const { outcome, copied, left, output } = setUp
  return (
    <details className="text-sm text-quiet">
      <summary>
        {words.setUp}
        {outcome && ` · ${words.setUpStates[outcome]}`} · {words.copied(copied.length)}
      </summary>
      {left.map(({ path, why }) => (
        <p key={path} className="text-warn [overflow-wrap:anywhere]">
          {path}: {translate(why)}
        </p>
      ))}
      {output && <pre className="max-h-60 overflow-auto font-mono text-xs whitespace-pre-wrap">{output}</pre>}
    </details>
  )
}
