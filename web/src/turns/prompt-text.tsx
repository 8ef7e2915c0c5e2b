/** Shows a prompt: its text as written, images small, files by name. */
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import { prose } from '../jsx/jsx-runtime.ts'
import { Picture } from './attachments.tsx'

export const boxClass = 'rounded-md bg-sunken px-3 py-2 shadow-[inset_0_0_0_1px_var(--line)]'

export function PromptText({
  content,
  className = '',
}: {
  content: readonly PromptPart[]
  className?: string
}) {
  return (
    <div className={`${boxClass} ${className}`}>
      {content.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said does not change
        <div key={index} className="whitespace-pre-wrap [overflow-wrap:anywhere]" dir="auto">
          {part.type === 'text' ? (
            prose(part.text)
          ) : part.type === 'image' ? (
            <Picture part={part} />
          ) : (
            part.name
          )}
        </div>
      ))}
    </div>
  )
}

/** The prompt on one line, for lists. */
export const promptLine = (content: readonly PromptPart[]): string =>
  content
    .map((part) => (part.type === 'text' ? part.text : part.type === 'image' ? '' : part.name))
    .join(' ')
