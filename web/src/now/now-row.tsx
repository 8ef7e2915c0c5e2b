/**
 * A row of Now: state, title, what is wanted or done, where, how much changed, how long ago. It
 * unfolds under the cursor.
 */
import { lazy, type ReactNode, Suspense } from 'react'
import { isHeldBack, isOpen } from '../approvals/waiting.ts'
import { useNameOf } from '../conversations/titles.ts'
import { loadOnce } from '../lazy-route.tsx'
import { useAgentAndProject } from '../live/display-names.ts'
import { LineCounts } from '../parts/line-counts.tsx'
import { tickingClock } from '../parts/ticking-clock.ts'
import { StateDot } from '../shell/state-dot.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { HeldStrip, SettlingStrip } from './held-strip.tsx'
import type { NowRow } from './now-rows.ts'
import { WhatHappens } from './what-happens.tsx'

/** On most visits nothing is unfolded. */
const RowBody = lazy(loadOnce(async () => ({ default: (await import('./row-body.tsx')).RowBody })))

const useNow = tickingClock(15_000)

interface OneRowProps {
  readonly row: NowRow
  readonly open: boolean
  /** Whether digits press the buttons of the row. */
  readonly armed: boolean
  readonly onPut: (open: boolean) => void
  readonly onDecided: () => void
}

const gridClass =
  'grid min-h-9 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-1 @max-3xl:min-h-14 ' +
  '@3xl:grid-cols-[auto_minmax(0,5fr)_minmax(0,6fr)_minmax(0,3fr)_5.5rem_3rem]'

const whatClass =
  'flex min-w-0 gap-x-1 text-sm text-quiet @max-3xl:col-span-2 @max-3xl:col-start-2 ' +
  '@max-3xl:row-start-2'
const ageClass =
  'text-right text-xs whitespace-nowrap text-faint tabular-nums @max-3xl:col-start-3 ' +
  '@max-3xl:row-start-1'

export function OneRow({ row, open, armed, onPut, onDecided }: OneRowProps) {
  const words = useWords()
  const writing = useWriting()
  const current = useNow()
  const { project, agent } = useAgentAndProject({
    projectId: row.projectId ?? '',
    agentId: row.agentId ?? '',
  })
  const title = useRowTitle(row)
  const role = row.talk?.role ?? row.approvals[0]?.permission?.role
  const place = [project, role ?? agent].filter(Boolean).join(' · ')
  const lines = row.talk?.lines
  const isHeld = row.approvals.some(isHeldBack) && !row.approvals.some(isOpen)
  return (
    <li
      data-row-id={row.id}
      data-state={row.state}
      data-session={row.talk?.key}
      data-interrupted={row.work?.id}
      data-running={row.other?.running.agentId ?? row.talk?.agentId}
      data-armed={armed || undefined}
    >
      <article
        aria-label={title}
        className={`-mx-2 flex min-w-0 flex-col border-l-2 px-2 ${open ? 'border-l-accent bg-rail' : 'border-l-transparent'}`}
      >
        {isHeld ? (
          <HeldStrip row={row} title={title} />
        ) : (
          <>
            <div className={`relative ${gridClass} hover:bg-hover`}>
              <StateDot state={row.state} />
              <button
                type="button"
                data-row
                aria-expanded={open}
                onClick={({ detail }) => onPut(!open || detail > 1)}
                className={`min-h-7 min-w-0 truncate text-left after:absolute after:inset-0 ${open ? 'font-semibold' : ''}`}
              >
                <span className="sr-only">{words.console.states[row.state]}: </span>
                <span dir="auto">{title}</span>
              </button>
              <span className={whatClass}>
                <span className="max-w-2/5 shrink-0 truncate @3xl:hidden">{project} ·</span>
                <span className="min-w-0 truncate" dir="auto">
                  <WhatHappens row={row} />
                </span>
              </span>
              <span className="truncate text-sm text-quiet @max-3xl:hidden">{place}</span>
              <span className="text-right @max-3xl:hidden">
                {lines && lines.added + lines.removed > 0 && <LineCounts {...lines} />}
              </span>
              <time dateTime={row.at} title={writing.exact(row.at)} className={ageClass}>
                {writing.age(row.at, Math.max(current, Date.parse(row.at)))}
              </time>
            </div>
            {open && (
              <Unfolded>
                <RowBody row={row} title={title} onDecided={onDecided} />
              </Unfolded>
            )}
          </>
        )}
      </article>
    </li>
  )
}

const Unfolded = ({ children }: { children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-3 pt-1 pb-3 @3xl:pl-5.5">
    <Suspense>{children}</Suspense>
  </div>
)

/** What the person has taken off Now keeps its place until it is carried out. */
export function GoneRow({ row, ...rest }: { row: NowRow } & Parameters<typeof SettlingStrip>[0]) {
  return (
    <li data-row-id={row.id}>
      <SettlingStrip {...rest} />
    </li>
  )
}

export function useRowTitle({ talk, work, agentId, projectId }: NowRow): string {
  const nameOf = useNameOf()
  const { agent, project } = useAgentAndProject({
    projectId: projectId ?? '',
    agentId: agentId ?? '',
  })
  if (talk) return nameOf(talk)
  return work?.contextSummary?.split('\n', 1)[0] || (work ? project : agent)
}
