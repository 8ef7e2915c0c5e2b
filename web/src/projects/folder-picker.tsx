/**
 * Chooses a folder of the server's machine by going through it: begins at home, and says which
 * folders are in a git repository.
 */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { BackIcon, BranchIcon, ProjectIcon } from '../parts/icons.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

export function FolderPicker({ path, onPath }: { path: string; onPath: (path: string) => void }) {
  const { projects: words } = useWords()
  const [open, setOpen] = useState(path === '')
  const [at, setAt] = useState<string>()
  const query = at === undefined ? {} : { path: at }
  const { data, error } = useQuery({
    queryKey: ['folders', at ?? ''],
    queryFn: ({ signal }) => client.get('/api/folders', { query, signal, retries: 0 }),
    enabled: open,
    staleTime: 0,
    placeholderData: (before) => before,
  })
  if (!open) {
    return (
      <Button className="self-start" onClick={() => setOpen(true)}>
        <ProjectIcon />
        {words.chooseFolder}
      </Button>
    )
  }
  /** Into the folder; a repository is what most people look for, so it is chosen with that. */
  const enter = (folder: { readonly path: string; readonly hasGit: boolean }) => {
    setAt(folder.path)
    if (folder.hasGit) onPath(folder.path)
  }
  const rowClass =
    'flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-hover max-md:min-h-10'
  return (
    <section
      aria-label={words.chooseFolder}
      className="flex flex-col gap-1 rounded-md p-2 shadow-[inset_0_0_0_1px_var(--edge)]"
    >
      <ProblemNote error={error} onRetry={() => setAt(undefined)} />
      {/* As high before the folders are there as afterwards: nothing below moves while it is pressed. */}
      <div className="flex min-h-8 items-center gap-2 max-md:min-h-20 max-md:flex-wrap max-md:justify-end">
        {data && <Whereabouts folder={data} path={path} onPath={onPath} onUp={setAt} />}
      </div>
      <ul className="h-52 overflow-y-auto">
        {data?.items.map((folder) => (
          <li key={folder.path}>
            <button type="button" className={rowClass} onClick={() => enter(folder)}>
              <ProjectIcon className="text-faint" />
              <span className="min-w-0 flex-1 truncate">{folder.name}</span>
              {folder.hasGit && (
                <span className="flex items-center gap-1 text-xs text-accent">
                  <BranchIcon />
                  git
                </span>
              )}
            </button>
          </li>
        ))}
        {data?.items.length === 0 && <li className="px-2 text-sm text-faint">{words.noFolders}</li>}
        {data?.more && <li className="px-2 text-xs text-faint">{words.moreFolders}</li>}
      </ul>
    </section>
  )
}

interface WhereaboutsProps {
  readonly folder: {
    readonly path: string
    readonly parent: string | null
    readonly hasGit: boolean
  }
  /** The folder that is chosen. */
  readonly path: string
  readonly onPath: (path: string) => void
  readonly onUp: (path: string) => void
}

/** The folder one is in: the way up, and the button that chooses it. */
function Whereabouts({ folder, path, onPath, onUp }: WhereaboutsProps) {
  const { projects: words } = useWords()
  const { parent } = folder
  const chosen = path === folder.path
  return (
    <>
      {parent !== null && (
        <button
          type="button"
          aria-label={words.folderUp}
          className="rounded-md p-1.5 hover:bg-hover"
          onClick={() => onUp(parent)}
        >
          <BackIcon />
        </button>
      )}
      <span
        className="min-w-0 flex-1 truncate font-mono text-xs max-md:basis-2/3"
        title={folder.path}
      >
        {folder.path}
      </span>
      <span className="shrink-0 text-xs text-quiet">
        {folder.hasGit ? words.isGit : words.noGit}
      </span>
      <Button look={chosen ? 'quiet' : 'plain'} onClick={() => onPath(folder.path)}>
        {chosen ? words.folderChosen : words.useFolder}
      </Button>
    </>
  )
}
