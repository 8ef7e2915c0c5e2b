/**
 * The head of a role's pane on one line: role, agent, the branch it works on, its changes, and the
 * way to end it.
 */
import { useState } from 'react'
import type { Conversation } from '../../../src/protocol/conversations/conversation.ts'
import { asksSomething, hasFailed } from '../../../src/protocol/threads/thread-turn.ts'
import { useDisplayName } from '../live/display-names.ts'
import { useHome } from '../live/queries.ts'
import { IconButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { BranchIcon, CloseIcon } from '../parts/icons.tsx'
import { LineCounts } from '../parts/line-counts.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import type { Messages } from '../translations/en.ts'
import { useSaid, useWords } from '../translations/messages.tsx'
import { Changes } from '../worktrees/changes.tsx'
import { ConfirmEnd } from './confirm-end.tsx'
import { type Pane, runningTurn } from './console-state.ts'
import type { LiveConsole } from './live-console.ts'

/** At its vendor's limit, and at nothing else. */
const isLimited = (pane: Pane): boolean =>
  pane.agent?.state === 'ACTIVE' && pane.agent.limit !== null && !runningTurn(pane)

/** The state of the agent in the role; undefined when the role is free. */
export function stateOf(pane: Pane): LiveState | undefined {
  if (!pane.agent) return undefined
  if (pane.agent.state === 'SPAWNING') return 'starting'
  if (pane.agent.state === 'FAILED')
    return pane.agent.notices?.['error']?.code === 'holdfastStopped' ? 'interrupted' : 'failed'
  const running = runningTurn(pane)
  if (isLimited(pane)) return 'limited'
  if (asksSomething(running)) return 'waiting'
  return running ? 'working' : 'idle'
}

export const stateWord = (pane: Pane, words: Messages): string => {
  const state = stateOf(pane)
  if (isLimited(pane)) return words.console.limitReached
  const last = pane.entries.at(-1)
  if (stateOf(pane) === 'idle' && last?.kind === 'turn' && hasFailed(last))
    return words.console.lastFailed
  return state ? words.console.states[state] : words.console.gone
}

interface PaneToolsProps {
  readonly pane: Pane
  readonly live: LiveConsole
  readonly mayWrite: boolean
}

/** The changes of the agent, and the way to end it. */
export function PaneTools({ pane, live, mayWrite }: PaneToolsProps) {
  const { console: words } = useWords()
  const [asked, setAsked] = useState(false)
  const { role, agent } = pane
  return (
    <span className="ml-auto flex shrink-0 items-center gap-1">
      <Changes pane={pane} />
      {agent && mayWrite && (
        <IconButton label={words.endAgent(role)} onClick={() => setAsked(true)}>
          <CloseIcon />
        </IconButton>
      )}
      <EndAgent role={role} open={asked} live={live} onClose={() => setAsked(false)} />
    </span>
  )
}

interface PaneHeadProps extends PaneToolsProps {
  /** What its turns changed in the files. */
  readonly lines: Conversation['lines']
}

export function PaneHead({ pane, lines, live, mayWrite }: PaneHeadProps) {
  const words = useWords()
  const translate = useSaid()
  const nameOf = useDisplayName()
  const { role, agent, lastAgentId } = pane
  const state = stateOf(pane)
  const entry = useHome()?.agents.find(({ id }) => id === agent?.agentId)
  const notes = [
    entry?.neverAsks ? words.console.neverAsks(entry.name) : null,
    agent?.note && translate(agent.note, agent.notices?.['note']),
    agent?.notRestored &&
      words.console.notRestored(translate(agent.notRestored, agent.notices?.['notRestored'])),
  ]
  return (
    <header className="@container border-b border-line px-3 max-md:hidden">
      <div className="flex min-h-10 items-center gap-2 text-sm">
        <StateDot state={state ?? 'ended'} />
        <h2 className="max-w-48 shrink-0 truncate font-semibold" title={role}>
          {role}
        </h2>
        <span className="min-w-0 truncate text-quiet">{nameOf(agent?.agentId ?? lastAgentId)}</span>
        {agent?.branch && (
          <span className="hidden min-w-0 items-center gap-1 text-xs text-faint @md:flex">
            <BranchIcon />
            <span className="truncate font-mono" title={`${agent.branch} · ${agent.workspace}`}>
              {agent.branch}
            </span>
            <CopyText text={`git merge ${agent.branch}`} what={words.console.mergeCommand} />
          </span>
        )}
        {lines && lines.added + lines.removed > 0 && <LineCounts {...lines} />}
        <PaneTools pane={pane} live={live} mayWrite={mayWrite} />
      </div>
      {notes.filter(Boolean).map((note) => (
        <p key={note} className="pb-1 text-xs text-faint">
          {note}
        </p>
      ))}
    </header>
  )
}

interface EndAgentProps {
  readonly role: string
  readonly open: boolean
  readonly live: LiveConsole
  readonly onClose: () => void
}

function EndAgent({ role, open, live, onClose }: EndAgentProps) {
  const { console: words } = useWords()
  const request = () => live.request({ type: 'agent:terminate', role })
  return (
    <ConfirmEnd
      title={words.endAgent(role)}
      open={open}
      onClose={onClose}
      request={request}
      onEnded={onClose}
    >
      {words.endAgentText}
    </ConfirmEnd>
  )
}
