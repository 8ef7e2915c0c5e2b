/**
 * Markdown read for the page: short text at once, long text in a worker that has a second for it.
 * What is not read is shown as text.
 */
import type { Token } from 'marked'
import { useEffect, useMemo, useState } from 'react'
import { limitedWorker } from './limited-worker.ts'
import { isQuick, parsed } from './parse.ts'

type Tokens = readonly Token[]

const read = limitedWorker<string, Tokens>(
  () => new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' }),
  1000,
)

const mostKept = 40
/** What was read lately, so that it is there at once where it is shown again. */
const kept = new Map<string, Tokens>()

function keep(text: string, tokens: Tokens): Tokens {
  kept.set(text, tokens)
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  return tokens
}

interface Read {
  readonly text: string
  /** Empty where it cannot be read. */
  readonly tokens: Tokens
}

/** `rest`: what has been said behind that meanwhile. Without tokens the whole is shown as text. */
export function useParsed(text: string): { readonly tokens: Tokens; readonly rest: string } {
  const quick = useMemo(() => (isQuick(text) ? (parsed(text) ?? []) : undefined), [text])
  const [last, setLast] = useState<Read>()
  const known = quick ?? kept.get(text) ?? (last?.text === text ? last.tokens : undefined)
  const [asked, setAsked] = useState(false)
  // What could not be read is not read once more with each word that is added.
  const isHopeless = last !== undefined && last.tokens.length === 0 && text.startsWith(last.text)
  const wanted = known === undefined && !asked && !isHopeless
  useEffect(() => {
    if (!wanted) return
    setAsked(true)
    // The newest is asked for when the one before is here.
    void read(text).then((tokens = []) => {
      keep(text, tokens)
      setLast({ text, tokens })
      setAsked(false)
    })
  }, [wanted, text])
  if (known) return { tokens: known, rest: '' }
  return last && text.startsWith(last.text)
    ? { tokens: last.tokens, rest: text.slice(last.text.length) }
    : { tokens: [], rest: text }
}
