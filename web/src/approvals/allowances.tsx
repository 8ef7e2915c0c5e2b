/**
 * Lists what agents are always allowed in a project, until when and by whom, each with a button to
 * revoke it (AG6). Renders nothing when empty.
 */
import { useQuery } from '@tanstack/react-query'
import type { Allowance } from '../../../src/protocol/approvals/allowance.ts'
import { allowancesOf, refreshAllowances } from '../live/allowances.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button } from '../parts/button.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { askedTitle } from '../translations/sandbox-requests.ts'

export function Allowances({ projectId }: { projectId: string }) {
  const { allowances: words } = useWords()
  const { data, error, refetch } = useQuery(allowancesOf(projectId))
  if (!error && (data ?? []).length === 0) return null
  return (
    <Section title={words.title} note={data?.length}>
      <ProblemNote error={error} onRetry={() => void refetch()} />
      <Rows label={words.title}>
        {data?.map((allowance) => (
          <Row key={allowance.id} allowance={allowance} />
        ))}
      </Rows>
    </Section>
  )
}

function Row({ allowance }: { allowance: Allowance }) {
  const all = useWords()
  const { allowances: words, console: consoleWords } = all
  const writing = useWriting()
  const nameOf = useDisplayName()
  const mayDecide = useMay('approve')
  const { send, error, waiting } = useSending<Allowance>()
  const {
    id: allowanceId,
    projectId,
    title,
    scope,
    toolKind,
    folder,
    agentId,
    createdBy,
    expiresAt,
  } = allowance
  async function revoke() {
    const path = '/api/projects/{projectId}/allowances/{allowanceId}'
    const done = await send([allowanceId], (options) =>
      client.delete(path, { params: { projectId, allowanceId }, ...options }),
    )
    if (!done) return
    refreshAllowances(projectId)
    notify(words.revoked)
  }
  const what =
    scope === 'request'
      ? askedTitle(title, all)
      : `${consoleWords.tools[toolKind]}${folder === null ? '' : ` · ${folder}`}`
  const facts = [
    words.scopes[scope],
    nameOf(agentId),
    words.by(nameOf(createdBy)),
    words.until(writing.exact(expiresAt)),
  ]
  return (
    <li
      data-allowance={allowanceId}
      className="list-row flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 py-2"
    >
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium [overflow-wrap:anywhere]">{what}</p>
        <p className="text-sm text-quiet [overflow-wrap:anywhere]">{facts.join(' · ')}</p>
        <ProblemNote error={error} />
      </div>
      {mayDecide && (
        <Button
          disabled={waiting}
          aria-label={words.revokeName(what)}
          onClick={() => void revoke()}
        >
          {words.revoke}
        </Button>
      )}
    </li>
  )
}
