/** An agent at its vendor's limit (AG6): until when, and whether it goes on by itself then. */

import { Button, SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { waitingClass } from './decided-row.tsx'
import { usePaneActions } from './pane-actions.ts'
import { useRequest } from './use-request.ts'

interface LimitCardProps {
  readonly limit: { readonly until: string; readonly goesOn: boolean }
  readonly mayWrite: boolean
  readonly onChoose: (goOn: boolean) => Promise<unknown>
  /** Whether it is shown in a chat, which has no queue of prompts. */
  readonly inChat?: boolean
}

export function LimitCard({ limit, mayWrite, onChoose, inChat = false }: LimitCardProps) {
  const { console: words } = useWords()
  const writing = useWriting()
  const time = writing.moment(limit.until, Date.now())
  const { send, waiting, error } = useRequest()
  const { continueWith } = usePaneActions()
  const choose = (goOn: boolean) => void send(() => onChoose(goOn))
  return (
    <section
      aria-label={words.limited(time)}
      data-limit={limit.goesOn ? 'goes-on' : 'waits'}
      className={`mt-4 ${waitingClass}`}
    >
      <p className="flex items-baseline gap-2" title={writing.exact(limit.until)}>
        <StateDot state="limited" />
        <span className="font-semibold">{words.limited(time)}</span>
      </p>
      <p role="status" className="text-sm">
        {limit.goesOn ? (inChat ? words.answersThen : words.goesOn)(time) : words.limitedText}
      </p>
      <ProblemNote error={error} />
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          <SubmitButton
            type="button"
            look={limit.goesOn ? 'quiet' : 'primary'}
            waiting={waiting}
            onClick={() => choose(!limit.goesOn)}
          >
            {limit.goesOn ? words.goOnNot : words.goOnAt(time)}
          </SubmitButton>
          {continueWith && <Button onClick={continueWith}>{words.continueWith}</Button>}
        </div>
      )}
    </section>
  )
}
