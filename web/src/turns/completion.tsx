/**
 * Completes what is being written: `/` the commands of the agent, `@` files of its workplace. Opens
 * above the composer, never over it.
 */
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { AgentCommand } from '../../../src/protocol/threads/offers.ts'
import { client } from '../live/queries.ts'
import { isComposing } from '../parts/composing.ts'
import { useWords } from '../translations/messages.tsx'

interface Entry {
  /** What is written in its place. */
  readonly value: string
  readonly hint: string
}

/** A word that can be completed, from `start` to the caret. */
interface Wanted {
  readonly kind: 'command' | 'file'
  readonly typed: string
  readonly start: number
}

function wantedIn(before: string): Wanted | undefined {
  const command = /^\/(\S*)$/.exec(before)
  if (command) return { kind: 'command', typed: command[1] ?? '', start: 0 }
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before)
  return file
    ? { kind: 'file', typed: file[1] ?? '', start: before.length - (file[1]?.length ?? 0) - 1 }
    : undefined
}

const mostShown = 8
const gatherMs = 120

interface CompletionInput {
  readonly text: string
  readonly caret: number
  readonly commands: readonly AgentCommand[]
  /** The conversation whose workplace is searched; undefined: there is none. */
  readonly conversationKey: string | undefined
  readonly onChange: (text: string, caret: number) => void
}

export function useCompletion({
  text,
  caret,
  commands,
  conversationKey,
  onChange,
}: CompletionInput) {
  const id = useId()
  const [chosen, setChosen] = useState(0)
  const [dismissed, setDismissed] = useState('')
  const wanted = wantedIn(text.slice(0, caret))
  const files = useFiles(wanted?.kind === 'file' ? wanted.typed : undefined, conversationKey)
  const name = wanted && `${wanted.kind} ${wanted.start} ${wanted.typed}`
  const found: readonly Entry[] =
    !wanted || name === dismissed
      ? []
      : wanted.kind === 'file'
        ? files
        : matching(commands, wanted.typed)
  const entries = found.slice(0, mostShown)
  const active = Math.min(chosen, entries.length - 1)

  function take(entry: Entry | undefined): void {
    if (!wanted || !entry) return
    const written = `${text.slice(0, wanted.start)}${entry.value} `
    onChange(written + text.slice(caret).trimStart(), written.length)
    setChosen(0)
  }

  function onKey(event: KeyboardEvent): boolean {
    if (entries.length === 0 || isComposing(event)) return false
    const step = { ArrowDown: 1, ArrowUp: entries.length - 1 }[event.key]
    if (step !== undefined) setChosen((active + step) % entries.length)
    else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab')
      take(entries[active])
    else if (event.key === 'Escape') setDismissed(name ?? '')
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  const idOf = (index: number): string => `${id}-${index}`
  return {
    onKey,
    list: entries.length === 0 ? undefined : { id, active: idOf(active) },
    menu: entries.length > 0 && (
      <Menu
        id={id}
        kind={wanted?.kind ?? 'file'}
        entries={entries}
        active={active}
        idOf={idOf}
        onTake={take}
      />
    ),
  }
}

const matching = (commands: readonly AgentCommand[], typed: string): Entry[] =>
  commands
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    .toSorted((a, b) => Number(b.name.startsWith(typed)) - Number(a.name.startsWith(typed)))
    .map(({ name, description }) => ({ value: `/${name}`, hint: description }))

function useFiles(typed: string | undefined, key: string | undefined): readonly Entry[] {
  const [files, setFiles] = useState<readonly Entry[]>([])
  useEffect(() => {
    if (typed === undefined || key === undefined) return setFiles([])
    const control = new AbortController()
    const timer = setTimeout(() => {
      const asked = { params: { key }, query: { q: typed }, signal: control.signal, retries: 0 }
      client.get('/api/conversations/{key}/files', asked).then(
        ({ items }) => setFiles(items.map((path) => ({ value: `@${path}`, hint: '' }))),
        () => setFiles([]),
      )
    }, gatherMs)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [typed, key])
  return files
}

interface MenuProps {
  readonly id: string
  readonly kind: Wanted['kind']
  readonly entries: readonly Entry[]
  readonly active: number
  readonly idOf: (index: number) => string
  readonly onTake: (entry: Entry) => void
}

const Menu = ({ id, kind, entries, active, idOf, onTake }: MenuProps) => {
  const { console: words } = useWords()
  return (
    <div className="absolute bottom-full left-0 z-20 mb-1 max-h-72 w-full max-w-md overflow-y-auto rounded-lg bg-raised p-1 shadow-popup">
      <div role="listbox" id={id} aria-label={words.completions[kind]}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text area, which keeps the focus
          // biome-ignore lint/a11y/useFocusableInteractive: named by the text area's aria-activedescendant
          <div
            key={entry.value}
            role="option"
            id={idOf(index)}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTake(entry)}
            className="flex min-h-8 cursor-pointer items-center gap-3 rounded-md px-2 text-sm aria-selected:bg-hover max-md:min-h-10"
          >
            <span className={`font-mono text-xs ${entry.hint ? 'shrink-0' : 'min-w-0 truncate'}`}>
              {entry.value}
            </span>
            <span className="min-w-0 truncate text-quiet">{entry.hint}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
