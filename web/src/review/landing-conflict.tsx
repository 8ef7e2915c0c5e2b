/** A conflict: what was last done to each file on both sides, and the ways out (LD4). */
import type { LandingPlan } from '../../../src/protocol/review/landing.ts'
import type { ConflictFile } from '../../../src/protocol/review/landing-requests.ts'
import { client } from '../live/queries.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { StateDot } from '../shell/state-dot.tsx'
import { useRequest } from '../turns/use-request.ts'
import { useReviewWords } from './words.ts'

interface ConflictProps {
  readonly conversationKey: string
  readonly plan: LandingPlan
  readonly agentName: string
  readonly mayWrite: boolean
  readonly onPullRequest: () => void
  /** The agent has been told. */
  readonly onResolving: () => void
}

export function LandingConflict({
  conversationKey: key,
  plan,
  agentName,
  mayWrite,
  onPullRequest,
  onResolving,
}: ConflictProps) {
  const { landing: words } = useReviewWords()
  const { send, waiting, error } = useRequest()
  const into = plan.into ?? ''
  // What the agent is at work on already is not given to it twice.
  const isAtWork = plan.blocks.includes('agent_works')
  const resolve = async () => {
    const isBegun = await send(() =>
      client.post('/api/conversations/{key}/land/resolve', { params: { key }, body: { into } }),
    )
    if (isBegun) onResolving()
  }
  return (
    <section aria-label={words.conflicts} className="flex min-w-0 flex-col gap-2">
      <p className="flex items-baseline gap-2 font-medium">
        <StateDot state="failed" />
        {words.conflict(into, plan.conflicts.length)}
      </p>
      <ul className="flex max-h-48 flex-col gap-2 overflow-y-auto">
        {plan.conflicts.map((file) => (
          <li key={file.path} className="min-w-0">
            <p className="font-mono text-xs [overflow-wrap:anywhere]">{file.path}</p>
            <Side name={words.ours} side={file.ours} look="text-accent" />
            <Side name={into} side={file.theirs} look="text-warn" />
          </li>
        ))}
      </ul>
      {mayWrite && (
        <div className="flex flex-wrap justify-end gap-2">
          <Button look="quiet" onClick={onPullRequest}>
            {words.pullRequestInstead}
          </Button>
          <SubmitButton
            type="button"
            waiting={waiting}
            disabled={isAtWork}
            onClick={() => void resolve()}
          >
            {words.resolve(agentName)}
          </SubmitButton>
        </div>
      )}
      <ProblemNote error={error} />
    </section>
  )
}

function Side({ name, side, look }: { name: string; side: ConflictFile['ours']; look: string }) {
  const { landing: words } = useReviewWords()
  return (
    <p className="min-w-0 text-sm [overflow-wrap:anywhere]">
      <span className={look}>{name}</span>{' '}
      {side ? (
        <>
          <span dir="auto">{words.lastChange(side.subject, side.author)}</span>{' '}
          <code className="font-mono text-xs text-faint">{side.commit}</code>
        </>
      ) : (
        <span className="text-quiet">{words.gone}</span>
      )}
    </p>
  )
}
