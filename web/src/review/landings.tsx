/** What landed of a session, the newest last: it stays to be read, the last is undone (LD5). */
import { useQuery } from '@tanstack/react-query'
import type { Landing } from '../../../src/protocol/review/landing.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client, invalidate } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { CheckIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { firstLine } from './landing-plan.tsx'
import { landingsOf } from './landing-queries.ts'
import { useReviewWords } from './words.ts'

/** The others are counted. */
const mostShown = 3

interface LandingsProps {
  readonly conversationKey: string
  readonly mayWrite: boolean
  readonly onChanged: () => void
}

export function Landings({ conversationKey: key, mayWrite, onChanged }: LandingsProps) {
  const { landing: words } = useReviewWords()
  const { data } = useQuery(landingsOf(key))
  const undoing = useRequest()
  if (!data || data.length === 0) return null
  const shown = data.slice(0, mostShown).reverse()
  const undo = async () => {
    await undoing.send(() => client.post('/api/conversations/{key}/land/undo', { params: { key } }))
    await invalidate(['landings', key])
    onChanged()
  }
  return (
    <div role="status" aria-label={words.outcomes} className="flex min-w-0 flex-col gap-1">
      {data.length > mostShown && (
        <p className="text-xs text-faint">{words.earlier(data.length - mostShown)}</p>
      )}
      <ol className="flex flex-col gap-1">
        {shown.map((landing) => (
          <li key={landing.id} data-landing={landing.state} className="flex min-w-0 gap-2">
            <Outcome landing={landing} />
            {mayWrite && landing === data[0] && canUndo(landing) && (
              <SubmitButton
                type="button"
                look="quiet"
                className="min-h-6! shrink-0 px-2! py-0! text-sm max-md:min-h-9!"
                waiting={undoing.waiting}
                onClick={() => void undo()}
              >
                {words.undo}
              </SubmitButton>
            )}
          </li>
        ))}
      </ol>
      <ProblemNote error={undoing.error} />
    </div>
  )
}

const canUndo = ({ state, steps }: Landing): boolean =>
  state === 'done' && steps.some((step) => step.do === 'move')

const marks: Record<Landing['state'], LiveState | undefined> = {
  running: 'working',
  undoing: 'working',
  done: undefined,
  failed: 'failed',
  undone: 'ended',
}

function Outcome({ landing }: { landing: Landing }) {
  const { landing: words } = useReviewWords()
  const { errors } = useWords()
  const nameOf = useDisplayName()
  const mark = marks[landing.state]
  const failed = landing.steps.find((step) => step.state === 'failed')
  const { code = '' } = (failed?.result ?? {}) as { code?: string }
  const facts = landing.steps.flatMap((step) => (step.state === 'done' ? [step] : []))
  const into = landing.into ?? ''
  return (
    <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        {mark ? <StateDot state={mark} /> : <CheckIcon className="self-center text-accent" />}
        {landing.state === 'undone' ? (
          <span>{words.outcome.undone(into)}</span>
        ) : (
          facts.map((step) => <Fact key={step.do} step={step} />)
        )}
        {landing.state === 'running' && <span>{words.outcome.running}</span>}
        {landing.state === 'undoing' && <span>{words.outcome.undoing}</span>}
        {landing.state === 'failed' && (
          <span className="font-medium">
            {words.outcome.failed(
              (errors as Record<string, { title: string } | undefined>)[code]?.title ??
                firstLine(landing.why ?? code),
            )}
          </span>
        )}
        <span className="ml-auto text-xs text-faint">
          {nameOf(landing.by)} · <Ago at={landing.endedAt ?? landing.at} />
        </span>
      </p>
      {landing.why && (
        <details className="text-sm text-quiet">
          <summary className="min-h-6 w-fit">{words.outcome.output}</summary>
          <pre className="max-h-48 overflow-auto font-mono text-xs whitespace-pre-wrap">
            {landing.why}
          </pre>
        </details>
      )}
    </div>
  )
}

function Fact({ step }: { step: Landing['steps'][number] }) {
  const { outcome } = useReviewWords().landing
  switch (step.do) {
    case 'commit':
      return (
        <span>{outcome.committed(Number(step['files']), firstLine(textIn(step, 'message')))}</span>
      )
    case 'check':
      return <span>{outcome.checked}</span>
    case 'move':
      return <span>{outcome.moved(textIn(step, 'branch'))}</span>
    case 'push':
      return <span>{outcome.pushed(textIn(step, 'remoteBranch'))}</span>
    case 'pull-request': {
      const { number = 0, url = '' } = (step.result ?? {}) as { number?: number; url?: string }
      const name = outcome.pullRequest(number)
      // What a host answers is not ours: only a web address is a link.
      return /^https?:\/\//.test(url) ? (
        <a href={url} target="_blank" rel="noreferrer" className="text-accent underline">
          {name}
        </a>
      ) : (
        <span>{name}</span>
      )
    }
    default:
      return null
  }
}

const textIn = (step: Landing['steps'][number], field: string): string => String(step[field] ?? '')
