/** Chooses a repository of the server's machine: found ones, a path, or any folder. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { ProjectIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { FolderPicker } from '../projects/folder-picker.tsx'
import { useWords } from '../translations/messages.tsx'
import type { ChosenFolder } from './first-run.tsx'

const mostShown = 6

const nameOf = (path: string): string => path.split(/[\\/]/).findLast(Boolean) ?? path

export function RepositoryChoice({ onChoose }: { onChoose: (folder: ChosenFolder) => void }) {
  const { firstRun: words } = useWords().now
  const [typed, setTyped] = useState('')
  const [elsewhere, setElsewhere] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['repositories'],
    queryFn: ({ signal }) => client.get('/api/repositories', { signal }),
    staleTime: 0,
  })
  const wanted = typed.trim().toLowerCase()
  const isPath = /^(?:\/|[a-z]:[\\/])./i.test(wanted)
  const found = (data?.items ?? []).filter(
    ({ path }) => isPath || path.toLowerCase().includes(wanted),
  )
  const rowClass =
    'flex min-h-11 w-full items-center gap-3 border-t border-line px-3.5 text-left hover:bg-hover'
  const shown = isPath
    ? [{ name: nameOf(typed.trim()), path: typed.trim(), changedAt: null }]
    : found
  const first = shown[0]
  return (
    <>
      <div className="overflow-hidden rounded-lg shadow-[inset_0_0_0_1px_var(--edge)]">
        <div className="p-2">
          <input
            type="search"
            value={typed}
            aria-label={words.find}
            placeholder={words.find}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && first && typed !== '') onChoose(first)
            }}
            className={`${inputClass} w-full`}
          />
        </div>
        <ProblemNote error={error} onRetry={() => void refetch()} />
        <ul aria-label={words.which}>
          {shown.slice(0, mostShown).map(({ name, path, changedAt }) => (
            <li key={path}>
              <button type="button" className={rowClass} onClick={() => onChoose({ name, path })}>
                <ProjectIcon className="shrink-0 text-quiet" />
                <span className="min-w-0 flex-1 truncate">
                  {name} <span className="font-mono text-xs text-faint">{path}</span>
                </span>
                {changedAt && (
                  <Ago at={changedAt} className="shrink-0 text-xs whitespace-nowrap text-faint" />
                )}
              </button>
            </li>
          ))}
          {data && shown.length === 0 && (
            <li className="border-t border-line px-3.5 py-2.5 text-quiet">
              {typed === '' ? words.noneFound : words.noMatch(typed)}
            </li>
          )}
          <li>
            <button
              type="button"
              className={`${rowClass} text-quiet`}
              aria-expanded={elsewhere}
              onClick={() => setElsewhere(!elsewhere)}
            >
              <span aria-hidden="true">⋯</span>
              {words.another}
            </button>
          </li>
        </ul>
      </div>
      {elsewhere && <Elsewhere onChoose={onChoose} />}
      <p className="text-xs text-faint">{words.foundHint}</p>
    </>
  )
}

function Elsewhere({ onChoose }: { onChoose: (folder: ChosenFolder) => void }) {
  const { firstRun: words } = useWords().now
  const [path, setPath] = useState('')
  return (
    <div className="flex flex-col gap-2">
      <FolderPicker path={path} onPath={setPath} />
      {path !== '' && (
        <Button className="self-start" onClick={() => onChoose({ name: nameOf(path), path })}>
          {words.use(nameOf(path))}
        </Button>
      )}
    </div>
  )
}
