/** The four groups of Now: what waits, what failed, what finished, what is at work. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { isOpen } from '../approvals/waiting.ts'
import { loadOnce } from '../lazy-route.tsx'
import { forgetDecided } from '../live/approvals.ts'
import { Button } from '../parts/button.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { Band } from './band.tsx'
import { GoneRow, OneRow, useRowTitle } from './now-row.tsx'
import { type NowGroup, type NowRow, type NowRows, nowGroups, shownRows } from './now-rows.ts'
import { type Settling, settle, settleTalk, useSettling } from './settling.ts'
import { useCursor } from './use-cursor.ts'

const ThreadPane = lazy(
  loadOnce(async () => ({ default: (await import('./thread-pane.tsx')).ThreadPane })),
)

/** As many as leave the four heads in sight at 1280 × 800. */
const mostAtFirst = 13

interface NowListProps {
  readonly rows: NowRows
  /** Told which row is under the cursor, which is kept in the list. */
  readonly onCursor: (id: string | undefined) => void
  /** Where the session under the cursor is shown; null: nowhere. */
  readonly pane: HTMLElement | null
}

export function NowList({ rows, onCursor, pane }: NowListProps) {
  const { now } = useWords()
  const list = useRef<HTMLDivElement>(null)
  const [all, setAll] = useState<ReadonlySet<NowGroup>>(new Set())
  const settling = useSettling()
  const cut = shownRows(rows, mostAtFirst)
  const shownIn = (group: NowGroup) => rows[group].slice(0, all.has(group) ? undefined : cut[group])
  const ids = nowGroups.flatMap((group) => shownIn(group).map(({ id }) => id))
  const { cursor, put } = useCursor(list, ids)
  useEffect(() => forgetDecided, [])
  useEffect(() => onCursor(cursor.at), [cursor.at, onCursor])
  const isShown = (group: NowGroup) => group === 'waiting' || rows[group].length > 0
  const waitingCount = countOf('waiting', rows.waiting, settling)
  const next = (from: NowRow) => put(nextWaiting(rows, from, settling)?.id)
  return (
    <>
      <div ref={list} className="@container flex flex-col gap-6">
        {nowGroups.filter(isShown).map((group) => (
          <Band
            key={group}
            title={group === 'waiting' ? now.waiting : now.groups[group]}
            count={countOf(group, rows[group], settling)}
            none={group === 'waiting' && waitingCount === 0 ? now.waitingNone : undefined}
            note={group === 'finished' && <ClearAll rows={rows.finished} />}
          >
            {rows[group].length > 0 && (
              <ul aria-label={group === 'waiting' ? now.waiting : now.groups[group]}>
                {shownIn(group).map((row) => {
                  const gone = settling.find(({ id }) => id === row.id)
                  return gone ? (
                    <Gone key={row.id} row={row} settling={gone} />
                  ) : (
                    <OneRow
                      key={row.id}
                      row={row}
                      open={cursor.at === row.id}
                      armed={cursor.at === row.id && cursor.armed}
                      onPut={(open) => put(open ? row.id : undefined)}
                      onDecided={() => next(row)}
                    />
                  )
                })}
              </ul>
            )}
            {shownIn(group).length < rows[group].length && (
              <Button
                look="quiet"
                className="-mx-2 self-start text-sm"
                onClick={() => setAll(new Set([...all, group]))}
              >
                {now.showAll(rows[group].length)}
              </Button>
            )}
          </Band>
        ))}
      </div>
      <Keys />
      {pane && (
        <Suspense>
          <ThreadPane place={pane} rows={rows} at={cursor.at} onClose={() => put(undefined)} />
        </Suspense>
      )}
    </>
  )
}

const Gone = ({ row, settling }: { row: NowRow; settling: Settling }) => (
  <GoneRow row={row} settling={settling} title={useRowTitle(row)} />
)

/** The same number wherever it stands: what is decided and held waits no more. */
const countOf = (group: NowGroup, rows: readonly NowRow[], settling: readonly Settling[]) =>
  group === 'waiting'
    ? rows.filter(({ approvals }) => approvals.some(isOpen)).length
    : rows.filter(({ id }) => !settling.some((each) => each.id === id)).length

/** After a decision: the session itself while it asks more, else the next that waits. */
function nextWaiting(
  rows: NowRows,
  from: NowRow,
  settling: readonly Settling[],
): NowRow | undefined {
  const group = nowGroups.find((each) => rows[each].some(({ id }) => id === from.id)) ?? 'waiting'
  const at = rows[group].findIndex(({ id }) => id === from.id)
  const behind = [...rows[group].slice(at + 1), ...rows[group].slice(0, at)]
  if (group !== 'waiting') return behind.find(({ id }) => !settling.some((each) => each.id === id))
  return from.approvals.filter(isOpen).length > 1
    ? from
    : behind.find(({ approvals }) => approvals.some(isOpen))
}

function ClearAll({ rows }: { rows: readonly NowRow[] }) {
  const words = useWords()
  const { now } = words
  if (rows.length === 0) return null
  const clear = () =>
    settle(
      rows.flatMap(({ id, talk }) =>
        talk
          ? [
              {
                id,
                what: 'cleared' as const,
                send: settleTalk(talk.key, talk.lastMessage?.seq ?? 0),
              },
            ]
          : [],
      ),
      (error) => describeProblem(error, words).title,
    )
  return (
    <Button look="quiet" className="min-h-7 px-2 text-sm" onClick={clear}>
      {now.clearAll}
    </Button>
  )
}

/** What the keys do, where there is a keyboard. */
function Keys() {
  const { now } = useWords()
  return (
    <p className="flex flex-wrap gap-x-4 text-xs text-faint max-md:hidden" aria-hidden="true">
      {now.hints.map(([keys, what]) => (
        <span key={keys} className="flex items-center gap-1.5">
          <kbd className="font-sans">{keys}</kbd> {what}
        </span>
      ))}
    </p>
  )
}
