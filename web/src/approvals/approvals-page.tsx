/** The tab Approvals of a project: everything that was ever asked, newest first. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { approvalsOf } from '../live/approvals.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProject } from '../projects/use-project.ts'
import { useWords } from '../translations/messages.tsx'
import { Allowances } from './allowances.tsx'
import { ApprovalCard } from './approval-card.tsx'

export function ApprovalsPage() {
  const project = useProject()
  if (!project) return null
  return (
    <>
      <Allowances projectId={project.id} />
      <History projectId={project.id} />
    </>
  )
}

function History({ projectId }: { projectId: string }) {
  const words = useWords()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    approvalsOf(projectId),
  )
  const approvals = data?.pages.flatMap((page) => page.items) ?? []
  const waiting = approvals.filter(({ status }) => status === 'pending').length
  return (
    <Section
      title={words.approvals.history}
      note={waiting > 0 ? words.approvals.waiting(String(waiting)) : undefined}
    >
      <ProblemNote error={error} onRetry={() => void refetch()} />
      {!data && !error && <Waiting what={words.things.approvals} onRetry={() => void refetch()} />}
      {data && approvals.length === 0 && (
        <p className="border-y border-line py-3 text-faint">{words.approvals.none}</p>
      )}
      {approvals.length > 0 && (
        <Rows label={words.approvals.history}>
          {approvals.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} inProject />
          ))}
        </Rows>
      )}
      {hasNextPage && (
        <div>
          <SubmitButton
            look="plain"
            type="button"
            waiting={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {words.approvals.older}
          </SubmitButton>
        </div>
      )}
    </Section>
  )
}
