/** The head of a role's pane: role, agent, state, the branch it works on, and the way to end it. */
import { useState } from 'react'
import { useDisplayName } from '../live/display-names.ts'
import { IconButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { CloseIcon } from '../parts/icons.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import type { Messages } from '../translations/en.ts'
import { useSaid, useWords, useWriting } from '../translations/messages.tsx'
import { Changes } from '../worktrees/changes.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { ConfirmEnd } from './confirm-end.tsx'
import { asksSomething, type Pane, runningTurn } from './console-state.ts'
import { useLimitTime } from './limit-card.tsx'
import type { LiveConsole } from './live-console.ts'

/** At its vendor's limit, and at nothing else. */
const isLimited = (pane: Pane): boolean => pane.agent?.state === 'ACTIVE' && pane.agent.limit !== null && !runningTurn(pane)

/** The state of the agent in the role; undefined when the role is free. */
export function stateOf(pane: Pane): LiveState | undefined {
  if (!pane.agent) return undefined
  if (pane.agent.state === 'SPAWNING') return 'starting'
  if (pane.agent.state === 'FAILED') return 'failed'
  const running = runningTurn(pane)
  if (asksSomething(running) || isLimited(pane)) return 'waiting'
  return running ? 'working' : 'ready'
}

export const stateWord = (pane: Pane, words: Messages): string => {
  const state = stateOf(pane)
  if (isLimited(pane)) return words.console.limitReached
  return state ? words.console.states[state] : words.console.gone
}

export function PaneHead({ pane, live, mayWrite }: { pane: Pane; live: LiveConsole; mayWrite: boolean }) {
  const words = useWords()
  const writing = useWriting()
  const translate = useSaid()
  const nameOf = useDisplayName()
  const [asked, setAsked] = useState(false)
  const { role, agent, lastAgentId } = pane
  const state = stateOf(pane)
  const limitTime = useLimitTime()
  return (
    <header className="flex flex-col gap-0.5 border-b border-line py-1.5">
      <div className="flex min-h-8 items-center gap-2">
        {state && <StateDot state={state} />}
        <h2 className="min-w-0 truncate font-semibold" title={role}>
          {role}
        </h2>
        <span className="min-w-0 truncate text-sm text-quiet">{nameOf(agent?.agentId ?? lastAgentId)}</span>
        <span role="status" data-state={state ?? 'gone'} className="ml-auto shrink-0 text-sm text-quiet">
          {agent?.limit && isLimited(pane) ? words.console.limited(limitTime(agent.limit.until)) : stateWord(pane, words)}
        </span>
        {agent && mayWrite && (
          <IconButton label={words.console.endAgent(role)} onClick={() => setAsked(true)}>
            <CloseIcon />
          </IconButton>
        )}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-xs text-faint">
        <Changes pane={pane} />
        {agent?.branch && (
          <span className="flex min-w-0 items-center gap-1">
            <span className="truncate font-mono" title={`${agent.branch} · ${agent.workspace}`}>
              {agent.branch}
            </span>
            <CopyText text={`git merge ${agent.branch}`} what={words.console.mergeCommand} />
          </span>
        )}
        {agent?.note && <span>{translate(agent.note, agent.notices?.['note'])}</span>}
        {agent?.usage && (
          <span className="tabular-nums">
            {words.console.usage(writing.number(agent.usage.used), writing.number(agent.usage.size))}
            {agent.usage.cost !== null && ` · ${agent.usage.cost}`}
          </span>
        )}
      </div>
      {agent && <AgentSettings role={role} agent={agent} live={live} mayWrite={mayWrite} />}
      {agent?.notRestored && (
        <p className="text-xs text-warn">
          {words.console.notRestored(translate(agent.notRestored, agent.notices?.['notRestored']))}
        </p>
      )}
      <EndAgent role={role} open={asked} live={live} onClose={() => setAsked(false)} />
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
    <ConfirmEnd title={words.endAgent(role)} open={open} onClose={onClose} request={request} onEnded={onClose}>
      {words.endAgentText}
    </ConfirmEnd>
  )
}
