/**
 * A console: the agents of one user session side by side by role; on a phone one at a time, chosen
 * by its tab (UI3).
 */
import { useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Conversation } from '../../../src/protocol/conversations/conversation.ts'
import { conversation } from '../conversations/conversation-queries.ts'
import { useMay } from '../live/queries.ts'
import { useSeen } from '../live/recent.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { Empty } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { oneLine, titleOfAll } from '../shell/listed-views.ts'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { Primer } from '../turns/primer.tsx'
import { promptLine } from '../turns/prompt-text.tsx'
import { TitleForm } from '../turns/title-form.tsx'
import { ViewHead } from '../turns/view-head.tsx'
import { ConfirmEnd } from './confirm-end.tsx'
import type { Pane } from './console-state.ts'
import {
  type ConsoleData,
  type LiveConsole,
  liveConsole,
  reconnectRelay,
  useRelayState,
} from './live-console.ts'
import { PaneView } from './pane.tsx'
import { PaneTools, stateOf, stateWord } from './pane-head.tsx'
import { SpawnDialog } from './spawn-dialog.tsx'

export function UserSessionPage() {
  const { userSessionId } = useParams({ from: '/shell/projects/$projectId/console/$userSessionId' })
  return <OneConsole key={userSessionId} userSessionId={userSessionId} />
}

function OneConsole({ userSessionId }: { userSessionId: string }) {
  const words = useWords()
  const [live] = useState(() => liveConsole(userSessionId))
  const known = useSyncExternalStore(live.subscribe, live.get)
  const { consoleState, problem, whole } = known
  const [chosenRole, setChosenRole] = useState<string>()
  const [open, setOpen] = useState<'spawn' | 'end'>()
  const mayWrite = useMay('write')
  const [added, setAdded] = useState<string>()
  useFocusOnAdded(added)
  if (problem) {
    return (
      <div className="flex flex-col gap-3 px-4 py-6">
        <ProblemNote error={problem} onRetry={live.again} />
        <BackToList />
      </div>
    )
  }
  const onSpawned = (role: string) => {
    setChosenRole(role)
    setAdded(role)
  }
  const chosen = consoleState.panes.find(({ role }) => role === chosenRole) ?? consoleState.panes[0]
  return (
    <>
      <ConsoleHead
        userSessionId={userSessionId}
        known={known}
        live={live}
        open={open}
        onOpen={setOpen}
        onSpawned={onSpawned}
      />
      {consoleState.panes.length === 0 ? (
        <div className="px-4 py-6">
          {whole ? (
            <Empty title={words.console.nobody}>
              <p className="text-quiet">{words.console.nobodyText}</p>
              {mayWrite && consoleState.state === 'ACTIVE' && (
                <Button look="primary" ref={focusIfNowhere} onClick={() => setOpen('spawn')}>
                  <PlusIcon />
                  {words.console.spawn}
                </Button>
              )}
            </Empty>
          ) : (
            <Waiting what={words.things.console} onRetry={reconnectRelay} />
          )}
        </div>
      ) : (
        <>
          <RoleTabs panes={consoleState.panes} chosen={chosen?.role} onChoose={setChosenRole}>
            {chosen && (
              <PaneTools
                pane={chosen}
                live={live}
                mayWrite={mayWrite && consoleState.state === 'ACTIVE'}
              />
            )}
          </RoleTabs>
          <div className="flex min-h-0 flex-1 divide-line overflow-x-auto md:divide-x">
            {consoleState.panes.map((pane) => (
              <PaneView
                key={pane.role}
                pane={pane}
                known={known}
                live={live}
                userSessionId={userSessionId}
                chosen={pane === chosen}
              />
            ))}
          </div>
        </>
      )}
    </>
  )
}

/** The button that made the console has gone with its page. */
const focusIfNowhere = (button: HTMLButtonElement | null): void => {
  if (document.activeElement === document.body) button?.focus()
}

/**
 * Focuses the prompt box of an agent that was just added, unless the focus has moved elsewhere
 * meanwhile.
 */
function useFocusOnAdded(role: string | undefined): void {
  const written = useRef<string>(undefined)
  useEffect(() => {
    if (role === undefined || written.current === role) return
    const area = document.querySelector<HTMLTextAreaElement>(
      `[data-role="${CSS.escape(role)}"] [data-composer] textarea`,
    )
    if (!area) return
    written.current = role
    if (
      document.activeElement === document.body ||
      document.activeElement?.closest('[data-console-bar]')
    )
      area.focus()
  })
}

function BackToList() {
  const words = useWords()
  const { projectId } = useParams({ from: '/shell/projects/$projectId/console/$userSessionId' })
  return (
    <Link
      to="/projects/$projectId/all-sessions"
      params={{ projectId }}
      className={buttonClass('quiet', 'self-start')}
    >
      {words.console.all}
    </Link>
  )
}

interface BarProps {
  readonly userSessionId: string
  readonly known: ConsoleData
  readonly live: LiveConsole
  readonly open: 'spawn' | 'end' | undefined
  readonly onOpen: (open: BarProps['open']) => void
  readonly onSpawned: (role: string) => void
}

/** The most urgent state of the agents stands for all. */
const urgency: readonly LiveState[] = [
  'waiting',
  'failed',
  'working',
  'starting',
  'interrupted',
  'idle',
]

const stateOfAll = (panes: readonly Pane[]): LiveState => {
  const states = panes.map(stateOf)
  return urgency.find((state) => states.includes(state)) ?? 'ended'
}

function ConsoleHead({
  userSessionId,
  known: data,
  live,
  open,
  onOpen: setOpen,
  onSpawned,
}: BarProps) {
  const words = useWords()
  const writing = useWriting()
  const relay = useRelayState()
  const project = useProject()
  const mayWrite = useMay('write')
  const { consoleState } = data
  const { panes } = consoleState
  const held = panes
    .filter(({ agent }) => agent !== null && agent.state !== 'FAILED')
    .map(({ role }) => role)
  const active = consoleState.state === 'ACTIVE'
  const keys = panes.flatMap(({ agent }) => agent?.conversation || [])
  // A conversation begins with its first prompt.
  const withTurns = panes.filter(({ entries }) => entries.some(({ kind }) => kind === 'turn'))
  const begun = withTurns.flatMap(({ agent }) => agent?.conversation || [])
  const known = useQueries({
    queries: begun.map((key) => ({ ...conversation(key), retry: false })),
  }).flatMap(({ data }) => data ?? [])
  const about = known.toSorted((a, b) => (a.created < b.created ? -1 : 1))[0]
  const title = known.length < begun.length ? undefined : titleOfAll(known)
  const shown = (title && oneLine(title)) || titleOf(panes) || words.console.one
  useSeen(keys)
  if (!project) return null
  return (
    <>
      <ViewHead
        state={active ? stateOfAll(panes) : 'ended'}
        title={shown}
        project={project}
        lines={linesOf(known)}
        actions={
          <>
            <span role="status" data-relay={relay.state} className="text-sm text-quiet">
              {relay.state === 'reconnecting' &&
                words.connection.offline(writing.clock(relay.since))}
              {relay.state === 'connecting' && words.connection.connecting}
              {!active && words.console.terminated}
            </span>
            {mayWrite && active && panes.length > 0 && (
              <Button
                onClick={() => setOpen('spawn')}
                aria-label={words.console.spawn}
                title={words.console.spawn}
              >
                <PlusIcon />
                <span className="max-md:hidden">{words.console.spawn}</span>
              </Button>
            )}
          </>
        }
      >
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <CopyId id={userSessionId} what={words.console.id} />
          <BackToList />
          {mayWrite && active && (
            <Button look="danger" onClick={() => setOpen('end')}>
              {words.console.terminate}
            </Button>
          )}
        </div>
        {about && (
          <TitleForm
            key={about.title}
            conversationKey={about.key}
            title={about.title}
            shown={shown}
          />
        )}
        {keys.map((key) => (
          <Primer key={key} conversationKey={key} />
        ))}
      </ViewHead>
      {open === 'spawn' && (
        <SpawnDialog
          project={project}
          taken={held}
          live={live}
          onClose={() => setOpen(undefined)}
          onSpawned={(role) => {
            setOpen(undefined)
            onSpawned(role)
          }}
        />
      )}
      <EndAll
        open={open === 'end'}
        count={held.length}
        live={live}
        onClose={() => setOpen(undefined)}
      />
    </>
  )
}

/** What all of them changed. */
const linesOf = (known: readonly Pick<Conversation, 'lines'>[]) => ({
  added: known.reduce((sum, { lines }) => sum + (lines?.added ?? 0), 0),
  removed: known.reduce((sum, { lines }) => sum + (lines?.removed ?? 0), 0),
})

const longestTitle = 80

/** The beginning of the first prompt. */
function titleOf(panes: readonly Pane[]): string | undefined {
  const turns = panes
    .flatMap(({ entries }) => entries)
    .flatMap((entry) => (entry.kind === 'turn' && entry.content.length > 0 ? entry : []))
  const [first] = turns.sort((a, b) => (a.at < b.at ? -1 : 1))
  return first && (promptLine(first.content).trim().slice(0, longestTitle) || undefined)
}

function EndAll({
  open,
  count,
  live,
  onClose,
}: {
  open: boolean
  count: number
  live: LiveConsole
  onClose: () => void
}) {
  const { console: words } = useWords()
  const navigate = useNavigate()
  const { projectId } = useParams({ from: '/shell/projects/$projectId/console/$userSessionId' })
  const request = () => live.request({ type: 'session:terminate' })
  const leave = () =>
    void navigate({ to: '/projects/$projectId/all-sessions', params: { projectId } })
  return (
    <ConfirmEnd
      title={words.terminate}
      open={open}
      onClose={onClose}
      request={request}
      onEnded={leave}
    >
      {words.terminateText(count)}
    </ConfirmEnd>
  )
}

interface RoleTabsProps {
  readonly panes: readonly Pane[]
  readonly chosen: string | undefined
  readonly onChoose: (role: string) => void
  readonly children: ReactNode
}

/** Shown only where the panes do not fit side by side. */
function RoleTabs({ panes, chosen, onChoose, children }: RoleTabsProps) {
  const words = useWords()
  return (
    <div className="flex shrink-0 items-center gap-2 border-b border-line px-2 md:hidden">
      <nav
        aria-label={words.console.roles}
        className="flex min-w-0 gap-2 overflow-x-auto py-1 [scrollbar-width:none]"
      >
        {panes.map((pane) => {
          const state = stateOf(pane)
          return (
            <button
              key={pane.role}
              type="button"
              aria-current={pane.role === chosen || undefined}
              onClick={() => onChoose(pane.role)}
              className="flex min-h-9 max-w-48 shrink-0 items-center gap-1.5 rounded-md px-3 text-quiet shadow-[inset_0_0_0_1px_var(--edge)] aria-[current=true]:bg-accent-wash aria-[current=true]:font-medium aria-[current=true]:text-ink"
            >
              {state && <StateDot state={state} />}
              <span className="truncate">{pane.role}</span>
              <span className="sr-only">{stateWord(pane, words)}</span>
            </button>
          )
        })}
      </nav>
      {children}
    </div>
  )
}
