/** The agent's plan: steps that are done, under way and still to do. */

import type { Item } from '../../../src/protocol/threads/turn-items.ts'
import { FoldIcon } from '../parts/icons.tsx'
import { type LiveState, StateDot } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'

type Entries = Extract<Item, { kind: 'plan' }>['entries']

const dots: Record<Entries[number]['status'], LiveState> = {
  pending: 'starting',
  in_progress: 'working',
  completed: 'ready',
}

export function PlanList({ entries }: { entries: Entries }) {
  const { console: words } = useWords()
  const done = entries.filter(({ status }) => status === 'completed').length
  return (
    <details open className="group rounded-md px-2.5 shadow-[inset_0_0_0_1px_var(--line)]">
      <summary className="flex min-h-8 items-center gap-2 text-sm">
        <FoldIcon />
        <span className="font-medium">{words.plan}</span>
        <span className="text-xs text-faint tabular-nums">
          {words.planDone(done, entries.length)}
        </span>
      </summary>
      <ol className="flex flex-col gap-1 pb-2.5">
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan comes whole each time
          <li key={index} className="flex items-baseline gap-2 text-sm">
            <StateDot state={dots[entry.status]} />
            <span className={entry.status === 'completed' ? 'text-quiet line-through' : ''}>
              {entry.content}
            </span>
            <span className="sr-only">{words.planStates[entry.status]}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}
