/** The live processes of agents, and why others ended. A row opens the details of its launch. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { coordinators, endedProcesses, livingProcesses } from '../live/processes.ts'
import { refetch } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { ProcessRow } from './process-row.tsx'

export function Processes() {
  const words = useWords()
  const living = useQuery(livingProcesses)
  const machines = useQuery(coordinators).data
  return (
    <Section
      title={words.processes.title}
      note={living.data && living.data.length > 0 && living.data.length}
    >
      {living.error && !living.data && (
        <ProblemNote error={living.error} onRetry={() => void refetch(livingProcesses)} />
      )}
      {living.isPending && (
        <Waiting what={words.things.processes} onRetry={() => void refetch(livingProcesses)} />
      )}
      {living.data?.length === 0 && <p className="text-faint">{words.processes.none}</p>}
      {living.data && living.data.length > 0 && (
        <Rows label={words.processes.title}>
          {living.data.map((process) => (
            <ProcessRow key={process.launchId} process={process} coordinators={machines} />
          ))}
        </Rows>
      )}
      <Ended />
    </Section>
  )
}

function Ended() {
  const words = useWords()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(endedProcesses)
  const items = data?.pages.flatMap((page) => page.items) ?? []
  if (error && !data)
    return <ProblemNote error={error} onRetry={() => void refetch(endedProcesses)} />
  if (!data) return null
  return (
    <div className="mt-2 flex flex-col gap-2">
      <h3 className="text-sm font-medium text-quiet">{words.processes.ended}</h3>
      {items.length === 0 ? (
        <p className="text-faint">{words.processes.endedNone}</p>
      ) : (
        <Rows label={words.processes.ended}>
          {items.map((process) => (
            <ProcessRow key={process.launchId} process={process} />
          ))}
        </Rows>
      )}
      {hasNextPage && (
        <div>
          <SubmitButton
            look="quiet"
            type="button"
            waiting={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {words.processes.older}
          </SubmitButton>
        </div>
      )}
    </div>
  )
}
