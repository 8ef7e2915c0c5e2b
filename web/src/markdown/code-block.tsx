/**
 * Code with its colours, once they are here, and a button to copy it. The colours are fetched when
 * the first code is shown.
 */
import { memo } from 'react'
import { CopyText } from '../parts/copy.tsx'
import { useWords } from '../translations/messages.tsx'
import { showPieces, useHighlighted } from './use-highlighted.tsx'

export const CodeBlock = memo(function CodeBlock({
  code,
  language,
}: {
  code: string
  language: string
}) {
  const { console: words } = useWords()
  const pieces = useHighlighted(code, language)
  return (
    <div className="group relative min-w-0 rounded-md bg-sunken shadow-[inset_0_0_0_1px_var(--line)]">
      <div className="flex min-h-7 items-center justify-between gap-2 pr-1 pl-3 text-xs text-faint">
        <span className="font-mono">{language}</span>
        <CopyText text={code} what={words.code} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        className="overflow-x-auto px-3 pb-2.5 font-mono text-sm"
      >
        <code>{pieces ? showPieces(pieces) : code}</code>
      </pre>
    </div>
  )
})
