/**
 * The tab Approaches of a project: what worked, what failed and what could be tried, side by side,
 * newest first (UI2).
 */
import { useQuery } from '@tanstack/react-query'
import type { Approach } from '../../../src/protocol/work/approach.ts'
import { approachesOf } from '../live/continuity.ts'
import { refetch } from '../live/queries.ts'
import { Empty } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { useWords } from '../translations/messages.tsx'
import { ApproachCard } from './approach-card.tsx'

const columns = ['verified', 'failed', 'untried'] as const satisfies readonly Approach['kind'][]

export function ApproachesPage() {
  const project = useProject()
  return project ? <Approaches projectId={project.id} /> : null
}

function Approaches({ projectId }: { projectId: string }) {
  const words = useWords()
  const query = approachesOf(projectId)
  const { data, error } = useQuery(query)
  if (error && !data) return <ProblemNote error={error} onRetry={() => void refetch(query)} />
  if (!data) return <Waiting what={words.things.approaches} onRetry={() => void refetch(query)} />
  if (data.length === 0) {
    return (
      <Empty title={words.continuity.noApproaches}>
        <p className="max-w-prose text-quiet">{words.continuity.noApproachesText}</p>
      </Empty>
    )
  }
  return (
    <div className="grid items-start gap-x-4 gap-y-6 lg:grid-cols-3">
      {columns.map((kind) => (
        <Column key={kind} kind={kind} approaches={data.filter((each) => each.kind === kind)} />
      ))}
    </div>
  )
}

function Column({ kind, approaches }: { kind: Approach['kind']; approaches: readonly Approach[] }) {
  const { continuity } = useWords()
  const title = continuity.kinds[kind]
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h2 className="flex items-baseline gap-2 border-b border-line pb-1 font-semibold">
        {title}
        <span className="text-sm font-normal text-faint tabular-nums">{approaches.length}</span>
      </h2>
      {approaches.length === 0 ? (
        <p className="text-faint">{continuity.noneOf[kind]}</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {approaches.toSorted(newestFirst).map((approach) => (
            <ApproachCard key={approach.id} approach={approach} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Sorts the approaches to try next before the others. */
const newestFirst = (a: Approach, b: Approach): number =>
  Number(b.nextToTry) - Number(a.nextToTry) || (a.updatedAt < b.updatedAt ? 1 : -1)
