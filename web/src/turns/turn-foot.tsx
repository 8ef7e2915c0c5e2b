/**
 * The line under a turn: how long it took, what it used, what it changed in the files; and the ways
 * back to it (FS7-FS9).
 */
import { Menu } from '@base-ui/react/menu'
import { lazy, Suspense, useState } from 'react'
import { isAnswer, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import { ReviewLink } from '../conversations/thread/review-link.tsx'
import { loadOnce } from '../lazy-route.tsx'
import { useHome } from '../live/queries.ts'
import { secondsBetween } from '../parts/elapsed-time.tsx'
import { BackIcon } from '../parts/icons.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { usePaneActions } from './pane-actions.ts'
import { RewindDialog, type RewindTarget } from './rewind.tsx'
import { useFork } from './use-fork.ts'

const TurnDiff = lazy(
  loadOnce(async () => ({ default: (await import('./turn-diff.tsx')).TurnDiff })),
)

export function TurnFoot({ turn, files }: { turn: ThreadTurn; files: ThreadTurn['files'] }) {
  const words = useWords()
  const writing = useWriting()
  const { conversationKey, mayWrite } = usePaneActions()
  const [open, setOpen] = useState(false)
  const { endedAt, at, usage, state } = turn
  if (state === 'running' || endedAt === null) return null
  const seconds = secondsBetween(Date.parse(at), Date.parse(endedAt))
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const changes = files?.changes && files.changes.files > 0 ? files.changes : undefined
  const canGoBack = conversationKey !== undefined && mayWrite && files?.before === true
  if (seconds < 2 && tokens === 0 && !changes && !canGoBack) return null
  return (
    <>
      <div
        data-turn-foot
        className="flex min-h-7 flex-wrap items-center gap-x-3 text-xs text-faint tabular-nums"
      >
        {seconds >= 2 && (
          <span>{words.console[isAnswer(turn) ? 'took' : 'lasted'](words.duration(seconds))}</span>
        )}
        {tokens > 0 && <span>{words.console.tokens(writing.short(tokens))}</span>}
        {usage?.cost && <span>{writing.money(usage.cost.amount, usage.cost.currency)}</span>}
        {changes && conversationKey !== undefined && (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="-mx-1.5 flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-quiet hover:bg-hover hover:text-ink max-md:min-h-9"
          >
            <BackIcon className={`size-3 ${open ? '-rotate-90' : 'rotate-180'}`} />
            {words.files.changed(changes.files)}
            <LineCounts {...changes} />
          </button>
        )}
        {changes && conversationKey !== undefined && (
          <ReviewLink
            conversationKey={conversationKey}
            turnId={turn.id}
            className="-mx-1.5 flex min-h-7 items-center rounded-md px-1.5 text-quiet hover:bg-hover hover:text-ink max-md:min-h-9"
          />
        )}
        {canGoBack && (
          <TurnMenu conversationKey={conversationKey} turnId={turn.id} hasAfter={files.after} />
        )}
      </div>
      {open && conversationKey !== undefined && (
        <Suspense>
          <TurnDiff conversationKey={conversationKey} turnId={turn.id} />
        </Suspense>
      )}
    </>
  )
}

/** Agents offered for a fork. */
const mostAgents = 12

interface TurnMenuProps {
  readonly conversationKey: string
  readonly turnId: string
  /** The files after it are kept. */
  readonly hasAfter: boolean
}

function TurnMenu({ conversationKey, turnId, hasAfter }: TurnMenuProps) {
  const { files: words } = useWords()
  const { agentId, projectId } = usePaneActions()
  const home = useHome()
  const [target, setTarget] = useState<RewindTarget>()
  const fork = useFork(conversationKey, projectId)
  const own = home?.projects.find(({ id }) => id === projectId)?.agentIds ?? []
  // One that nobody here starts has no worktree of its own (FS9).
  const agents = (home?.agents ?? [])
    .filter(
      ({ id, protocol, command }) => own.includes(id) && (protocol !== 'mcp' || command !== null),
    )
    .slice(0, mostAgents)
  const others = agents.filter(({ id }) => id !== agentId)
  const canFork = agents.some(({ id }) => id === agentId)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          aria-label={words.menu}
          className="-mx-1.5 flex min-h-7 items-center gap-1 rounded-md px-1.5 text-quiet hover:bg-hover hover:text-ink max-md:min-h-9"
        >
          {fork.waiting ? words.forking : words.menu}
        </Menu.Trigger>
        <MenuPopup side="top" align="start">
          <Menu.Item className={itemClass} onClick={() => setTarget({ turnId, to: 'before' })}>
            {words.rewindBefore}
          </Menu.Item>
          {hasAfter && (
            <Menu.Item className={itemClass} onClick={() => setTarget({ turnId, to: 'after' })}>
              {words.rewindAfter}
            </Menu.Item>
          )}
          {canFork && (
            <Menu.Item className={itemClass} onClick={() => fork.from(turnId)}>
              {words.fork}
            </Menu.Item>
          )}
          {others.map(({ id, name }) => (
            <Menu.Item key={id} className={itemClass} onClick={() => fork.from(turnId, id)}>
              {words.forkWith(name)}
            </Menu.Item>
          ))}
        </MenuPopup>
      </Menu.Root>
      <ProblemNote error={fork.error} />
      {target && (
        <RewindDialog
          conversationKey={conversationKey}
          target={target}
          onClose={() => setTarget(undefined)}
        />
      )}
    </>
  )
}
