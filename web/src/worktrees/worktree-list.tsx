/** The worktrees of a project: what each takes on disk, and which can go (WT6). */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedWorktree } from '../../../src/protocol/worktrees/worktree.ts'
import { conversation } from '../conversations/conversation-queries.ts'
import { useNameOf } from '../conversations/titles.ts'
import { useMay } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { RemoveWorktree } from './remove-worktree.tsx'
import { worktreesOf } from './worktree-queries.ts'

export function WorktreeList({ projectId }: { projectId: string }) {
  const { worktrees: words } = useWords()
  const writing = useWriting()
  const list = useQuery(worktreesOf(projectId))
  const [removing, setRemoving] = useState<ListedWorktree>()
  if (!list.data || list.data.length === 0) return null
  const total = list.data.reduce((sum, { look }) => sum + (look?.disk.bytes ?? 0), 0)
  return (
    <Section title={words.list}>
      <p className="text-sm text-quiet">
        {words.listText} {words.total(writing.size(total))}
      </p>
      <Rows label={words.list}>
        {list.data.map((worktree) => (
          <Row key={worktree.id} worktree={worktree} onRemove={() => setRemoving(worktree)} />
        ))}
      </Rows>
      {removing && (
        <RemoveWorktree
          worktree={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={() => setRemoving(undefined)}
        />
      )}
    </Section>
  )
}

function Row({ worktree, onRemove }: { worktree: ListedWorktree; onRemove: () => void }) {
  const translate = useSaid()
  const { worktrees: words } = useWords()
  const writing = useWriting()
  const mayWrite = useMay('write')
  const { role, branch, folder, look, trouble, lastUsedAt } = worktree
  const key = worktree.conversation ?? ''
  const about = useQuery({ ...conversation(key), enabled: key !== '', retry: false }).data
  const nameOf = useNameOf()
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <Link
        to="/projects/$projectId/review/$worktreeId"
        params={{ projectId: worktree.projectId, worktreeId: worktree.id }}
        className="min-w-0 font-medium underline decoration-line underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink"
      >
        {about ? nameOf(about) : role}
      </Link>
      <span
        className="min-w-0 flex-1 basis-40 truncate font-mono text-xs text-quiet"
        title={folder}
      >
        {branch ?? folder}
      </span>
      {look && (
        <span className="text-sm text-quiet tabular-nums">
          {look.disk.complete ? '' : '≥ '}
          {writing.size(look.disk.bytes)}
        </span>
      )}
      <span
        className={`text-sm ${look?.canGo === 'yes' ? 'text-accent' : 'text-quiet'}`}
        title={look?.why ? translate(look.why, look.notice) : undefined}
      >
        {look ? words.canGo[look.canGo] : trouble}
      </span>
      <span className="text-sm text-faint">
        <Ago at={lastUsedAt} />
      </span>
      {mayWrite && look && look.canGo !== 'in_use' && (
        <Button look="quiet" onClick={onRemove}>
          {words.remove}
        </Button>
      )}
    </li>
  )
}
