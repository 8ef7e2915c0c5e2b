/** The change of a tool in a file: removed and added lines, with a few around them. */
import { structuredPatch } from 'diff'
import { memo, useMemo } from 'react'
import { LineCounts } from '../parts/line-counts.tsx'
import { useWords } from '../translations/messages.tsx'
import { useShortPath } from '../turns/workplace.ts'

interface DiffViewProps {
  readonly path: string
  /** null for a file that is new. */
  readonly oldText: string | null
  readonly newText: string
}

const figureClass =
  'min-w-0 overflow-hidden rounded-md bg-raised shadow-[inset_0_0_0_1px_var(--line)]'

const around = 3
/** Comparing what has little in common takes long; then it is shown as all gone and all new. */
const patienceMs = 200

export const DiffView = memo(function DiffView({ path, oldText, newText }: DiffViewProps) {
  const { console: words } = useWords()
  const shortPath = useShortPath()
  const hunks = useMemo(() => hunksOf(oldText ?? '', newText), [oldText, newText])
  const count = (mark: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line[0] === mark).length, 0)
  return (
    <figure className={figureClass}>
      <figcaption className="flex flex-wrap items-baseline gap-x-2 bg-sunken px-3 py-1 font-mono text-xs">
        <span className="min-w-0 [overflow-wrap:anywhere]" title={path}>
          {shortPath(path)}
        </span>
        {oldText === null && <span className="text-faint">{words.newFile}</span>}
        <span className="ml-auto">
          <LineCounts added={count('+')} removed={count('-')} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: no landmark, of which one file may have several */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        aria-label={words.diffOf(shortPath(path))}
        className="max-h-96 overflow-auto font-mono text-xs"
      >
        <div className="w-max min-w-full">
          {hunks.map(({ oldStart, newStart, lines }, index) => (
            <div
              key={`${oldStart}.${newStart}`}
              className={index > 0 ? 'border-t border-dashed border-edge' : ''}
            >
              {lines.map((line, at) =>
                // A missing line end at the end of a file is not shown.
                line.startsWith('\\') ? null : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change
                  <Line key={at} line={line} />
                ),
              )}
            </div>
          ))}
        </div>
      </div>
    </figure>
  )
})

const looks: Readonly<Record<string, string>> = { '+': 'bg-accent-wash', '-': 'bg-bad-wash' }

const Line = ({ line }: { line: string }) => (
  <div className={`px-3 whitespace-pre ${looks[line[0] ?? ''] ?? ''}`}>
    <span aria-hidden="true" className="mr-2 inline-block w-2 text-faint select-none">
      {line[0]}
    </span>
    {line[0] === '+' && <ins className="no-underline">{line.slice(1)}</ins>}
    {line[0] === '-' && <del className="no-underline">{line.slice(1)}</del>}
    {line[0] !== '+' && line[0] !== '-' && line.slice(1)}
  </div>
)

function hunksOf(oldText: string, newText: string) {
  const options = { context: around, timeout: patienceMs }
  const patch = structuredPatch('', '', oldText, newText, undefined, undefined, options)
  if (patch) return patch.hunks
  const gone = oldText.split('\n').map((line) => `-${line}`)
  const come = newText.split('\n').map((line) => `+${line}`)
  return [{ oldStart: 1, newStart: 1, lines: [...gone, ...come] }]
}
