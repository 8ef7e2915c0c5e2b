/**
 * An agent that failed, or has gone: why, what was kept, and the ways to have one in this role
 * again (AG1, AC4).
 */
import type { ReactNode } from 'react'
import { tellsExit } from '../../../src/protocol/notice-words.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import type { Pane, PaneAgent } from './console-state.ts'
import type { LiveConsole } from './live-console.ts'

interface FailedAgentProps {
  readonly pane: Pane
  readonly agent: PaneAgent
  readonly live: LiveConsole
  readonly mayWrite: boolean
}

export function FailedAgent({ pane, agent, live, mayWrite }: FailedAgentProps) {
  const { console: words } = useWords()
  const translate = useSaid()
  const { step, error, exitCode, signal } = agent
  const ending = signal
    ? words.signal(signal)
    : exitCode === null
      ? undefined
      : words.exitCode(exitCode)
  const notice = agent.notices?.['error']
  const how = tellsExit({ detail: error, notice }) ? undefined : ending
  // Nothing went wrong with the agent: it is started again as it was.
  if (notice?.code === 'holdfastStopped')
    return (
      <Ended pane={pane} live={live} mayWrite={mayWrite}>
        <p className="font-medium">{translate(error ?? '', notice)}</p>
        <p className="text-sm text-quiet">{words.stoppedKept}</p>
      </Ended>
    )
  return (
    <div
      role="alert"
      data-failed={step ?? ''}
      className="mt-4 flex flex-col gap-2 rounded-md bg-bad-wash px-3 py-2.5"
    >
      <p className="font-medium text-bad">{step ? words.failedAt[step] : words.failed}</p>
      {how && <p className="text-sm">{how}</p>}
      {error && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
          className="max-h-40 overflow-auto font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {translate(error, notice)}
        </pre>
      )}
      <p className="text-sm">{words.failedKept}</p>
      {mayWrite && <StartAgain pane={pane} live={live} />}
    </div>
  )
}

export function GoneAgent({ pane, live, mayWrite }: Omit<FailedAgentProps, 'agent'>) {
  const { console: words } = useWords()
  return (
    <Ended pane={pane} live={live} mayWrite={mayWrite}>
      <p className="text-sm text-quiet">{words.goneText}</p>
    </Ended>
  )
}

const Ended = ({
  pane,
  live,
  mayWrite,
  children,
}: Omit<FailedAgentProps, 'agent'> & { readonly children: ReactNode }) => (
  <div className="mt-4 flex flex-col gap-2 rounded-md px-3 py-2.5 shadow-[inset_0_0_0_1px_var(--line)]">
    {children}
    {mayWrite && pane.lastAgentId !== '' && <StartAgain pane={pane} live={live} />}
  </div>
)

/** The same agent in the same role; with its old conversation when it can bring that back. */
function StartAgain({ pane, live }: { pane: Pane; live: LiveConsole }): ReactNode {
  const { console: words } = useWords()
  const { send, waiting, error } = useRequest()
  const start = (load: boolean) =>
    void send(() =>
      live.request({
        type: 'agent:spawn',
        role: pane.role,
        agentId: pane.lastAgentId || null,
        load,
      }),
    )
  return (
    <>
      <ProblemNote error={error} />
      <div className="flex flex-wrap gap-2">
        <SubmitButton type="button" look="plain" waiting={waiting} onClick={() => start(true)}>
          {words.startAgainLoaded}
        </SubmitButton>
        <SubmitButton type="button" look="quiet" waiting={waiting} onClick={() => start(false)}>
          {words.startAgain}
        </SubmitButton>
      </div>
    </>
  )
}
