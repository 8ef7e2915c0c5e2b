/**
 * The places of a project (WT6): how many there are, what they take on disk, which sessions work in
 * them. Those of idle sessions are closed one by one or all at once.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedConversation } from '../../../src/protocol/conversations/conversation.ts'
import type { ListedWorktree } from '../../../src/protocol/worktrees/worktree.ts'
import { useNameOf } from '../conversations/titles.ts'
import { client, useMay } from '../live/queries.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { problemIn } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { isClosable } from '../shell/listed-views.ts'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { CloseSession, closeSession, refreshAfterClosing } from './close-session.tsx'
import { RemoveWorktree } from './remove-worktree.tsx'
import { worktreesOf } from './worktree-queries.ts'

interface Place {
  readonly worktree: ListedWorktree
  /** Whose place it is; none of an agent in a role. */
  readonly about: ListedConversation | undefined
}

const mostSessions = 200

/** A session that rests, and whose place holds nothing that would be lost. */
const canClose = ({ worktree: { look }, about }: Place): boolean =>
  about !== undefined && isClosable(about) && (look?.canGo === 'yes' || look?.canGo === 'in_use')

function usePlaces(projectId: string): readonly Place[] | undefined {
  const worktrees = useQuery(worktreesOf(projectId)).data
  const listed = useQuery({
    queryKey: ['worktrees', projectId, 'sessions'],
    queryFn: async ({ signal }) => {
      const query = { projectId, limit: mostSessions }
      return (await client.get('/api/conversations', { query, signal })).items
    },
    enabled: worktrees !== undefined && worktrees.length > 0,
  }).data
  return worktrees?.map((worktree) => ({
    worktree,
    about: listed?.find(({ key }) => key === worktree.conversation),
  }))
}

const sizeOf = (places: readonly Place[]): number =>
  places.reduce((sum, { worktree: { look } }) => sum + (look?.disk.bytes ?? 0), 0)

export function Places({ projectId }: { projectId: string }) {
  const { worktrees: words } = useWords()
  const writing = useWriting()
  const mayWrite = useMay('write')
  const places = usePlaces(projectId)
  const [removing, setRemoving] = useState<ListedWorktree>()
  if (!places || places.length === 0) return null
  const idle = places.filter(canClose)
  return (
    <Section
      title={words.list}
      note={`${places.length} · ${writing.size(sizeOf(places))}`}
      actions={mayWrite && idle.length > 0 && <CloseIdle projectId={projectId} idle={idle} />}
    >
      <Rows label={words.list}>
        {places.map((place) => (
          <Row key={place.worktree.id} place={place} onRemove={() => setRemoving(place.worktree)} />
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

/** All of them, one after the other; what would lose something meanwhile is left. */
function CloseIdle({ projectId, idle }: { projectId: string; idle: readonly Place[] }) {
  const { worktrees: words } = useWords()
  const writing = useWriting()
  const [waiting, setWaiting] = useState(false)
  const closeAll = async (): Promise<void> => {
    setWaiting(true)
    const closed: Place[] = []
    try {
      for (const place of idle) if (await isClosed(place)) closed.push(place)
    } finally {
      setWaiting(false)
      notify(words.closedPlaces(closed.length, idle.length, writing.size(sizeOf(closed))))
      await refreshAfterClosing(
        projectId,
        idle.flatMap(({ about }) => about?.key ?? []),
      )
    }
  }
  return (
    <SubmitButton type="button" look="plain" waiting={waiting} onClick={() => void closeAll()}>
      {words.closeIdle(idle.length, writing.size(sizeOf(idle)))}
    </SubmitButton>
  )
}

async function isClosed({ about }: Place): Promise<boolean> {
  if (!about) return false
  try {
    await closeSession(about.key)
    return true
  } catch (error) {
    if (problemIn(error)) return false
    throw error
  }
}

function Row({ place, onRemove }: { place: Place; onRemove: () => void }) {
  const { worktree, about } = place
  const translate = useSaid()
  const { worktrees: words } = useWords()
  const writing = useWriting()
  const mayWrite = useMay('write')
  const nameOf = useNameOf()
  const { id, projectId, role, branch, folder, look, trouble, lastUsedAt } = worktree
  const name = about ? nameOf(about) : role
  return (
    <li className="list-row flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <Link
        to="/projects/$projectId/review/$worktreeId"
        params={{ projectId, worktreeId: id }}
        className="min-w-0 truncate hover:underline"
      >
        {name}
      </Link>
      <span
        className="min-w-0 flex-1 basis-40 truncate font-mono text-xs text-quiet"
        title={folder}
      >
        {branch ?? folder}
      </span>
      <span
        className="text-sm text-quiet"
        title={look?.why ? translate(look.why, look.notice) : undefined}
      >
        {look ? words.canGo[look.canGo] : trouble}
      </span>
      {look && (
        <span className="text-sm text-quiet tabular-nums">
          {look.disk.complete ? '' : '≥ '}
          {writing.size(look.disk.bytes)}
        </span>
      )}
      <Ago at={lastUsedAt} className="text-sm text-faint tabular-nums" />
      {mayWrite && about && isClosable(about) && (
        <CloseSession conversationKey={about.key} projectId={projectId} title={name} />
      )}
      {mayWrite && about?.kind !== 'session' && look && look.canGo !== 'in_use' && (
        <Button look="quiet" className="min-h-7 px-2 text-sm" onClick={onRemove}>
          {words.remove}
        </Button>
      )}
    </li>
  )
}
