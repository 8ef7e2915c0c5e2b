/** Now: one row for each session that needs the person, has something to show, or is at work. */
import { lazy, Suspense, useState } from 'react'
import { loadOnce } from '../lazy-route.tsx'
import { inbox } from '../live/approvals.ts'
import { refetch, useHome } from '../live/queries.ts'
import { Choice } from '../parts/choice.tsx'
import { Page, wholeScreen } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { FirstDay } from '../system/day-begins.tsx'
import { useWords } from '../translations/messages.tsx'
import { FirstProject } from './first-project.tsx'
import { LookAround } from './look-around.tsx'
import { NowList } from './now-list.tsx'
import { type NowRows, nowGroups } from './now-rows.ts'
import { useFirstRun } from './use-first-run.ts'
import { useHasPane } from './use-has-pane.ts'
import { useNowRows } from './use-now-rows.ts'

const NothingNow = lazy(
  loadOnce(async () => ({ default: (await import('./nothing-now.tsx')).NothingNow })),
)

const FirstRun = lazy(
  loadOnce(async () => ({ default: (await import('./first-run.tsx')).FirstRun })),
)

export function NowPage() {
  const { now } = useWords()
  const home = useHome()
  const [under, setUnder] = useState<string>()
  const [projectId, setProjectId] = useState('')
  const { rows, error } = useNowRows(under)
  const projects = home?.projects ?? []
  const known = projects.some(({ id }) => id === projectId)
  const firstRun = useFirstRun()
  const isEmpty = rows && nowGroups.every((group) => rows[group].length === 0)
  const shown = rows && (known ? ofProject(rows, projectId) : rows)
  const hasPane = useHasPane()
  const [pane, setPane] = useState<HTMLElement | null>(null)
  const page = (
    <Page
      title={now.title}
      room="rows"
      actions={
        firstRun?.demo && !firstRun.hasRun ? (
          <LookAround demo={firstRun.demo} />
        ) : (
          projects.length > 1 && (
            <Choice
              label={now.shownProjects}
              value={known ? projectId : ''}
              values={[{ id: '', name: now.allProjects }, ...projects]}
              disabled={false}
              onValue={setProjectId}
            />
          )
        )
      }
    >
      {error !== undefined && <ProblemNote error={error} onRetry={() => void refetch(inbox)} />}
      {shown && firstRun?.hasRun !== false && (
        <NowList rows={shown} onCursor={setUnder} pane={pane} />
      )}
      <Suspense>
        {firstRun && <FirstRun />}
        {!firstRun && isEmpty && projects.length > 0 && <NothingNow />}
      </Suspense>
      {!firstRun && <FirstDay />}
      {!firstRun && home && projects.length === 0 && <FirstProject />}
    </Page>
  )
  if (!hasPane || firstRun || isEmpty) return page
  return (
    <div className="grid grid-cols-[37.5rem_minmax(0,1fr)]">
      {page}
      <div
        ref={setPane}
        className={`sticky top-0 flex min-w-0 flex-col border-l border-line ${wholeScreen}`}
      />
    </div>
  )
}

const ofProject = (rows: NowRows, projectId: string): NowRows =>
  Object.fromEntries(
    nowGroups.map((group) => [group, rows[group].filter((each) => each.projectId === projectId)]),
  ) as unknown as NowRows
