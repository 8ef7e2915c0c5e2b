/** What a turn changed in the files, file by file (FS7); what the states do not hold is named. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../live/queries.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { type DiffLayout, FileDiff } from '../worktrees/file-diff.tsx'
import { filesOfPatch } from '../worktrees/patch.ts'

/** Files shown of one turn; the rest is counted. */
const mostFiles = 50

interface TurnDiffProps {
  readonly conversationKey: string
  readonly turnId: string
  readonly layout?: DiffLayout
}

export function TurnDiff({ conversationKey: key, turnId, layout = 'unified' }: TurnDiffProps) {
  const { console: words, files, things } = useWords()
  const { data, error, refetch } = useQuery({
    queryKey: ['turn-diff', key, turnId],
    queryFn: ({ signal }) =>
      client.get('/api/conversations/{key}/turns/{turnId}/diff', {
        params: { key, turnId },
        query: {},
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const patches = useMemo(() => filesOfPatch(data?.text ?? ''), [data])
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Waiting what={things.changes} onRetry={() => void refetch()} />
  return (
    <div data-turn-diff className="flex flex-col gap-2 pb-1">
      {patches.slice(0, mostFiles).map((file) => (
        <FileDiff key={file.path} file={file} layout={layout} id={`${turnId}.${file.path}`} />
      ))}
      {data.files.length > Math.min(patches.length, mostFiles) && (
        <p className="text-sm text-faint">
          {files.more(data.files.length - Math.min(patches.length, mostFiles))}
        </p>
      )}
      {data.cut && <p className="text-sm text-faint">{words.cutShort}</p>}
      {data.leftOut.length > 0 && (
        <p className="text-sm text-faint [overflow-wrap:anywhere]">
          {files.leftOut} {data.leftOut.map(({ path }) => path).join(', ')}
        </p>
      )}
    </div>
  )
}
