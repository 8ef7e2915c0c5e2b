/** One approach. A failed one shows its lesson first, which is needed before trying again. */
import type { ReactNode } from 'react'
import type { Approach } from '../../../src/protocol/work/approach.ts'
import { Ago } from '../parts/time.tsx'
import { useWords } from '../translations/messages.tsx'

export function ApproachCard({ approach }: { approach: Approach }) {
  const { continuity: words } = useWords()
  const { kind, description, category, learnings, failureReason, error, details, evidence, note } =
    approach
  const lessons = learnings.length > 0 && (
    <ul className="list-disc pl-4" aria-label={words.lessons}>
      {learnings.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  )
  return (
    <li className="list-row flex flex-col gap-1.5 rounded-md bg-raised px-3 py-2 shadow-[inset_0_0_0_1px_var(--edge)] [overflow-wrap:anywhere]">
      {kind === 'failed' && lessons}
      <p className={kind === 'failed' ? 'text-quiet' : 'font-medium'}>{description}</p>
      {failureReason && <Said name={words.why}>{failureReason}</Said>}
      {error && (
        <Said name={words.error}>
          <span className="font-mono text-sm">{error}</span>
        </Said>
      )}
      {kind !== 'failed' && lessons}
      {note && <p className="text-sm text-quiet">{note}</p>}
      {hasContent(evidence) && <Unfolding name={words.evidence} value={evidence} />}
      {hasContent(details) && <Unfolding name={words.details} value={details} />}
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-faint">
        <span className="font-mono">{approach.id}</span>
        <span>{category}</span>
        {signs(approach, words).map((sign) => (
          <span key={sign} className="rounded bg-sunken px-1.5 text-quiet">
            {sign}
          </span>
        ))}
        <Ago at={approach.updatedAt} className="ml-auto tabular-nums" />
      </p>
    </li>
  )
}

type Words = ReturnType<typeof useWords>['continuity']

function signs(
  { kind, avoid, nextToTry, reusable, priority, history }: Approach,
  words: Words,
): string[] {
  const moved = history.some(({ before }) => before['kind'] === 'untried')
  return [
    kind === 'failed' && avoid && words.avoid,
    kind === 'verified' && reusable && words.reusable,
    kind === 'untried' && nextToTry && words.next,
    kind === 'untried' && priority && words.priority(priority),
    moved && words.wasUntried,
  ].filter((sign) => typeof sign === 'string')
}

const Said = ({ name, children }: { name: string; children: ReactNode }) => (
  <p className="text-sm">
    <span className="text-quiet">{name}: </span>
    {children}
  </p>
)

const hasContent = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  !(typeof value === 'object' && Object.keys(value).length === 0)

/** Whatever the agent said, as it said it. */
const Unfolding = ({ name, value }: { name: string; value: unknown }) => (
  <details className="text-sm">
    <summary className="cursor-pointer text-quiet">{name}</summary>
    <pre className="mt-1 overflow-x-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  </details>
)
