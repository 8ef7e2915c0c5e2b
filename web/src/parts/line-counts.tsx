/** Added and removed lines, rounded for reading: `+1.2k −34`. */
import { useWords, useWriting } from '../translations/messages.tsx'

export function LineCounts({ added, removed }: { added: number; removed: number }) {
  const { worktrees: words } = useWords()
  const writing = useWriting()
  return (
    <span
      className="shrink-0 font-mono text-xs tabular-nums"
      title={words.lineCounts(added, removed)}
    >
      <span className="text-accent">+{writing.short(added)}</span>{' '}
      <span className="text-bad">−{writing.short(removed)}</span>
    </span>
  )
}
