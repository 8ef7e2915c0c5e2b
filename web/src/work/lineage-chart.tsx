/**
 * A chart of a project's work sessions: a line each, forks where one was resumed, dots for
 * checkpoints, diamonds for approvals.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useMemo, useRef } from 'react'
import type { Lineage } from '../../../src/protocol/work/lineage.ts'
import { lineageOf } from '../live/continuity.ts'
import { refetch } from '../live/queries.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { type Fork, type Line, layOut } from './lineage-layout.ts'

const width = 1000
const rowHeight = 28
const margin = 14

const x = (place: number): number => margin + place * (width - 2 * margin)
const y = (row: number): number => margin + row * rowHeight

export function LineageChart({ projectId }: { projectId: string }) {
  const words = useWords()
  const query = lineageOf(projectId)
  const { data, error, dataUpdatedAt } = useQuery(query)
  if (error && !data) return <ProblemNote error={error} onRetry={() => void refetch(query)} />
  if (!data)
    return <Waiting what={words.things.lineage} onRetry={() => void refetch(query)} rows={1} />
  return data.items.length === 0 ? null : <Picture lineage={data} now={dataUpdatedAt} />
}

function Picture({ lineage, now }: { lineage: Lineage; now: number }) {
  const { continuity } = useWords()
  const { lines, forks } = useMemo(() => layOut(lineage.items, now), [lineage, now])
  const height = 2 * margin + (lines.length - 1) * rowHeight
  const room = useRef<HTMLDivElement>(null)
  const newest = lineage.items.length
  // Scrolls to the newest: time runs to the right, and down.
  // biome-ignore lint/correctness/useExhaustiveDependencies(newest): one more is the newest
  useLayoutEffect(() => {
    room.current?.scrollTo(room.current.scrollWidth, room.current.scrollHeight)
  }, [newest])
  return (
    // A phone is too narrow for it; the list says the same in words.
    <figure className="flex min-w-0 flex-col gap-1 border-t border-line pt-2 max-md:hidden">
      <div ref={room} className="max-h-60 overflow-auto">
        <svg viewBox={`0 0 ${width} ${height}`} className="block w-full min-w-160">
          <title>{continuity.picture}</title>
          {forks.map((fork) => (
            <ForkPath key={`${fork.fromRow} ${fork.toRow}`} fork={fork} />
          ))}
          {lines.map((line) => (
            <LineOf key={line.member.id} line={line} />
          ))}
        </svg>
      </div>
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-faint">
        <Sign word={continuity.legend.checkpoint}>
          <circle cx="5" cy="5" r="3" className="fill-accent" />
        </Sign>
        <Sign word={continuity.legend.approval}>
          <path d="m5 1 4 4-4 4-4-4z" className="fill-warn" />
        </Sign>
        <Sign word={continuity.legend.interrupted}>
          <path d="M5 1v8" className="stroke-bad" strokeWidth="2.5" />
        </Sign>
      </figcaption>
    </figure>
  )
}

const Sign = ({ word, children }: { word: string; children: React.ReactNode }) => (
  <span className="inline-flex items-center gap-1.5">
    <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {children}
    </svg>
    {word}
  </span>
)

function ForkPath({ fork: { fromRow, toRow, from, to } }: { fork: Fork }) {
  const bend = Math.max(6, (x(to) - x(from)) / 2)
  const path = `M${x(from)} ${y(fromRow)}C${x(from) + bend} ${y(fromRow)} ${x(to) - bend} ${y(toRow)} ${x(to)} ${y(toRow)}`
  return (
    <path
      d={path}
      fill="none"
      className="stroke-edge"
      strokeWidth="1.5"
      vectorEffect="non-scaling-stroke"
    />
  )
}

function LineOf({ line }: { line: Line }) {
  const { continuity, approvals } = useWords()
  const writing = useWriting()
  const { member, row, from, to } = line
  const label = continuity.pictureOf(member.stateSummary)
  // Something of no length can still be hit.
  const end = Math.max(x(to), x(from) + 6)
  return (
    <Link
      to="/projects/$projectId/history/$workSessionId"
      params={{ projectId: member.projectId, workSessionId: member.id }}
      aria-label={label}
      className="group outline-none"
    >
      <title>{label}</title>
      <rect
        x={x(from) - 6}
        y={y(row) - 11}
        width={end - x(from) + 12}
        height={22}
        rx={4}
        className="fill-transparent group-hover:fill-hover group-focus-visible:fill-accent-wash group-focus-visible:stroke-accent"
        vectorEffect="non-scaling-stroke"
      />
      <path
        d={`M${x(from)} ${y(row)}H${end}`}
        className={member.state === 'running' ? 'stroke-accent' : 'stroke-quiet'}
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
      {line.checkpoints.map(({ at, checkpoint }) => (
        <circle key={checkpoint.number} cx={x(at)} cy={y(row)} r={3.5} className="fill-accent">
          <title>
            {continuity.checkpointAt(
              continuity.checkpointReasons[checkpoint.reason],
              writing.exact(checkpoint.at),
            )}
          </title>
        </circle>
      ))}
      {line.approvals.map(({ at, approval }) => (
        <path key={approval.id} d={`m${x(at)} ${y(row) - 11} 5 5-5 5-5-5z`} className="fill-warn">
          <title>{`${approval.checkpointType}: ${approvals.statuses[approval.status]}`}</title>
        </path>
      ))}
      {member.state === 'interrupted' && (
        <path
          d={`M${end} ${y(row) - 7}v14`}
          className="stroke-bad"
          strokeWidth="3"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </Link>
  )
}
