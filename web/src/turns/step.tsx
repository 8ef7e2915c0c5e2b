/** One step of an agent on one line, folded: what kind, what about, what came of it. */
import { type ReactNode, useState } from 'react'
import { FoldIcon } from '../parts/icons.tsx'

interface StepProps {
  readonly icon: ReactNode
  readonly verb: string
  readonly title?: string
  /** At the end of the line. */
  readonly end?: ReactNode
  readonly open?: boolean
  readonly children: ReactNode
  readonly 'data-tool'?: string
  readonly 'data-strand'?: string
}

export function Step({ icon, verb, title, end, open = false, children, ...data }: StepProps) {
  const [wasOpen, setOpened] = useState(open)
  return (
    <details
      open={open}
      className="group min-w-0"
      onToggle={(event) => event.currentTarget.open && setOpened(true)}
      {...data}
    >
      <summary className="-mx-1.5 flex min-h-7 items-center gap-2 rounded-md px-1.5 text-sm text-quiet hover:bg-hover max-md:min-h-9">
        <FoldIcon />
        {icon}
        <span className="shrink-0 text-ink">{verb}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs" title={title}>
          {title}
        </span>
        <span className="flex shrink-0 items-center gap-1.5 text-xs text-faint tabular-nums">
          {end}
        </span>
      </summary>
      {/* Most are never opened. */}
      <div className="my-1 min-w-0 pl-5.5">{(wasOpen || open) && children}</div>
    </details>
  )
}
