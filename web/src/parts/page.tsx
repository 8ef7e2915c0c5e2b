/** The frame of a place: its title in the tab and on the page, its actions, its sections. */

import { type ReactNode, useEffect } from 'react'
import { withNumbers } from '../../../src/protocol/unseen-characters.ts'
import { useWaitingForMe } from '../live/approvals.ts'
import { useWords } from '../translations/messages.tsx'
import { announcePage } from './page-announcement.tsx'

interface PageProps {
  readonly title: string
  /** Content before the title, such as a back link. */
  readonly above?: ReactNode
  readonly actions?: ReactNode
  readonly tabs?: ReactNode
  /**
   * `rows`: for rows with many facts; `wide`: as wide as the screen allows; `desk`: as high, too,
   * and what is in it scrolls by itself.
   */
  readonly room?: 'text' | 'rows' | 'wide' | 'desk'
  readonly children: ReactNode
}

/** As high as the screen, less what is always there. */
export const wholeScreen =
  'h-[calc(100dvh-var(--strip,0px))] max-md:h-[calc(100dvh-3.5rem-env(safe-area-inset-bottom)-var(--strip,0px))]'

export function Page({ title, above, actions, tabs, room = 'text', children }: PageProps) {
  useTitle(title)
  const width = { text: 'max-w-4xl', rows: 'max-w-260', wide: 'max-w-7xl', desk: 'max-w-none' }[
    room
  ]
  // Tabs stay where they are whatever is under them; what is narrower begins where they begin.
  const frame = tabs ? 'max-w-7xl' : width
  const high = room === 'desk'
  return (
    <div className={`flex flex-col ${high ? wholeScreen : 'min-h-full'}`}>
      <header className="border-b border-line px-4 md:px-8">
        <div
          className={`mx-auto flex min-h-14 ${frame} flex-wrap items-center gap-x-3 gap-y-1 py-2`}
        >
          <div className="flex min-w-0 flex-1 items-center gap-2">
            {above}
            <h1 className="min-w-0 truncate text-lg font-semibold" title={title}>
              {title}
            </h1>
          </div>
          {actions}
        </div>
        {tabs && <div className={`mx-auto ${frame}`}>{tabs}</div>}
      </header>
      {high ? (
        <div className="flex min-h-0 flex-1 flex-col px-4 md:px-8">
          <div className="flex min-h-0 w-full flex-1 flex-col">{children}</div>
        </div>
      ) : (
        <div className="flex-1 px-4 py-6 md:px-8">
          <div className={`mx-auto ${frame}`}>
            <div className={`flex ${width} flex-col gap-8`}>{children}</div>
          </div>
        </div>
      )}
    </div>
  )
}

/** The title of the page; undefined: another part of it says it. */
export function useTitle(title: string | undefined): void {
  const { product } = useWords()
  const waiting = useWaitingForMe()
  useEffect(() => {
    if (title === undefined) return
    document.title = withNumbers(`${waiting ? `(${waiting}) ` : ''}${title} · ${product}`)
    announcePage(title)
  }, [title, product, waiting])
}

interface SectionProps {
  readonly title: string
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function Section({ title, note, actions, children }: SectionProps) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{title}</h2>
        {note && <div className="text-sm text-faint">{note}</div>}
        {actions && <div className="ml-auto flex flex-wrap justify-end gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** A list of rows under each other with hairlines between them. */
export const Rows = ({ children, label }: { children: ReactNode; label: string }) => (
  <ul aria-label={label} className="divide-y divide-line border-y border-line">
    {children}
  </ul>
)

/** Names and values, aligned. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] items-baseline gap-x-6 gap-y-2 border-y border-line py-3">
    {children}
  </dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-quiet">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
)

/** Says that a list is empty, and offers the next step. */
export const Empty = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex flex-col items-start gap-3 rounded-lg border border-dashed border-edge px-5 py-6">
    <p className="font-semibold">{title}</p>
    {children}
  </div>
)
