/** Things to copy: a shortened id, and a secret that is shown once. */
import { useEffect, useState } from 'react'
import { useWords } from '../translations/messages.tsx'
import { Button } from './button.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

const copiedMs = 2000

function useCopied(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [copied])
  return [copied, (text) => void toClipboard(text).then(setCopied)]
}

/**
 * Copies a text; false when it could not be copied. Browsers offer the clipboard only on https or
 * localhost; elsewhere a selection is copied.
 */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedSelection(text)
  }
}

function copiedSelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  // Within an open dialog: outside of it nothing can have the focus.
  const place = before?.closest('[role="dialog"], [role="alertdialog"]') ?? document.body
  place.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

/** Ids made by us end in what makes them different; only that is shown. */
export const shortened = (id: string): string => (id.length > 16 ? `…${id.slice(-6)}` : id)

export function CopyId({ id, what }: { id: string; what: string }) {
  const words = useWords()
  const [copied, copy] = useCopied()
  return (
    <button
      type="button"
      title={id}
      onClick={() => copy(id)}
      className="inline-flex min-h-6 items-center gap-1 rounded px-1 font-mono text-sm text-quiet transition-colors hover:bg-hover hover:text-ink"
    >
      <span className="sr-only">{words.copyOf(what)}</span>
      {shortened(id)}
      {copied ? <CheckIcon className="size-3.5 text-accent" /> : <CopyIcon className="size-3.5" />}
      <span role="status" className="sr-only">
        {copied ? words.act.copied : ''}
      </span>
    </button>
  )
}

/** A small button that copies the text next to it. */
export function CopyText({ text, what }: { text: string; what: string }) {
  const words = useWords()
  const [copied, copy] = useCopied()
  return (
    <button
      type="button"
      aria-label={words.copyOf(what)}
      title={words.copyOf(what)}
      onClick={() => copy(text)}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-quiet transition-colors hover:bg-hover hover:text-ink max-md:size-8"
    >
      {copied ? <CheckIcon className="size-3.5 text-accent" /> : <CopyIcon className="size-3.5" />}
      <span role="status" className="sr-only">
        {copied ? words.act.copied : ''}
      </span>
    </button>
  )
}

/** The secret itself, selectable, with a button; tells when it was copied. */
export function CopySecret({ secret, onCopied }: { secret: string; onCopied: () => void }) {
  const words = useWords()
  const [copied, copy] = useCopied()
  return (
    <div className="flex flex-col gap-2 rounded-md bg-sunken p-3 shadow-[inset_0_0_0_1px_var(--edge)]">
      <code className="font-mono text-sm break-all whitespace-pre-wrap select-all" data-secret>
        {secret}
      </code>
      <Button
        look="primary"
        className="self-start"
        data-first
        onClick={() => {
          copy(secret)
          onCopied()
        }}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
        {copied ? words.act.copied : words.act.copy}
      </Button>
      <span role="status" className="sr-only">
        {copied ? words.act.copied : ''}
      </span>
    </div>
  )
}
