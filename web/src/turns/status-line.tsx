/** The line above the composer: what the agent does, for how long, and the way to stop it. */
import type { ReactNode } from 'react'
import { SubmitButton } from '../parts/button.tsx'
import { ElapsedTime } from '../parts/elapsed-time.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { usePaneActions } from './pane-actions.ts'
import { useRequest } from './use-request.ts'

interface StatusLineProps {
  readonly state: LiveState
  readonly children: ReactNode
  /** When the running turn began, in milliseconds since 1970. */
  readonly since?: number | undefined
  readonly mayStop: boolean
}

export function StatusLine({ state, children, since, mayStop }: StatusLineProps) {
  const { console: words } = useWords()
  const { stop } = usePaneActions()
  const stopping = useRequest()
  return (
    <div className="flex min-h-9 items-center gap-2 px-1 text-sm text-quiet">
      <StateDot state={state} />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">{children}</div>
      <ProblemNote error={stopping.error} />
      {since !== undefined && <ElapsedTime since={since} />}
      {mayStop && (
        <SubmitButton
          type="button"
          look="plain"
          className="min-h-7! px-2.5! py-0.5! max-md:min-h-9!"
          waiting={stopping.waiting}
          onClick={() => void stopping.send(stop)}
        >
          <span aria-hidden="true" className="size-2.5 rounded-xs bg-current" />
          {words.cancel}
        </SubmitButton>
      )}
    </div>
  )
}
