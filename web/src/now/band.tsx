/** A part of Now: its name, how many, and its rows; one quiet line while there are none. */
import type { ReactNode } from 'react'

interface BandProps {
  readonly title: string
  readonly count: number
  /** What is said while there are none. */
  readonly none?: string | undefined
  /** At the end of the head. */
  readonly note?: ReactNode
  readonly children?: ReactNode
}

export const Band = ({ title, count, none, note, children }: BandProps) => (
  <section aria-label={title} className="flex min-w-0 flex-col">
    <div className="flex min-h-9 items-center gap-x-2 border-b border-line">
      <h2 className="font-semibold">{title}</h2>
      {count > 0 && <span className="text-sm text-faint tabular-nums">{count}</span>}
      {none && (
        <p role="status" className="text-sm text-faint">
          {none}
        </p>
      )}
      {note && <span className="ml-auto">{note}</span>}
    </div>
    {children}
  </section>
)
