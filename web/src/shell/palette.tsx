/**
 * The command palette: type, choose with the arrows, press Enter. A combobox over a list, as
 * assistive technology knows it.
 */
import { Dialog } from '@base-ui/react/dialog'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useHome, useMay } from '../live/queries.ts'
import { isComposing } from '../parts/composing.ts'
import { SearchIcon } from '../parts/icons.tsx'
import { notify } from '../parts/notices.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import type { Messages } from '../translations/en.ts'
import { useWords } from '../translations/messages.tsx'
import { partsBy, rangesOf } from './marked-text.ts'
import { focusComposer } from './page-keys.ts'
import { itemsHere, matching, type PaletteItem, paletteItems } from './palette-items.ts'
import { takeTyped } from './palette-opening.ts'
import { useFound, useRecent } from './palette-search.ts'
import { signOut } from './sign-out.ts'

const mostShown = 50

export function Palette({ onClose }: { onClose: () => void }) {
  const words = useWords()
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-100 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed top-[max(1rem,12dvh)] left-1/2 z-50 flex max-h-[70dvh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl bg-raised shadow-dialog outline-none">
          <Dialog.Title className="sr-only">{words.palette.title}</Dialog.Title>
          <PaletteBody onClose={onClose} />
          <Dialog.Close className="sr-only">{words.act.close}</Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const words = useWords()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { known, options } = useItems()
  const recent = useRecent(options)
  const isEmpty = typed.trim() === ''
  const items = isEmpty ? [...known.here, ...recent, ...known.others] : all(known)
  const found = [...matching(items, typed, mostShown), ...useFound(typed, options)]
  const active = found[Math.min(at, found.length - 1)]

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen decides what must be in sight
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])

  const choose = (item: PaletteItem | undefined) => {
    if (!item) return
    onClose()
    item.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && found.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(active)
    }
  }

  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <SearchIcon className="text-faint" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active && `${id}-${active.id}`}
          aria-autocomplete="list"
          aria-label={words.palette.title}
          placeholder={words.palette.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onFocus={() => setTyped((now) => now + takeTyped())}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={words.palette.title}
        className="min-h-0 overflow-y-auto p-1.5"
      >
        {grouped(found).map(([group, items]) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options in a listbox has no element of its own
          <div key={group} role="group" aria-label={group}>
            <div aria-hidden="true" className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
              {group}
            </div>
            {items.map((item) => (
              <Option
                key={item.id}
                id={`${id}-${item.id}`}
                item={item}
                typed={typed}
                active={item === active}
                onChoose={() => choose(item)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={found.length === 0 ? 'px-4 pb-4 text-faint' : 'sr-only'}>
        {found.length === 0 ? words.palette.none : words.palette.count(found.length)}
      </p>
      <p
        aria-hidden="true"
        className="flex gap-4 border-t border-line px-4 py-2 text-xs text-faint max-md:hidden"
      >
        <span>↑ ↓ {words.palette.hint}</span>
        <span>↵ {words.palette.hintOpen}</span>
        <span>Esc {words.act.close}</span>
      </p>
    </>
  )
}

interface OptionProps {
  readonly id: string
  readonly item: PaletteItem
  readonly typed: string
  readonly active: boolean
  readonly onChoose: () => void
}

/** Chosen through the input above, which keeps the focus; the mouse may press it too. */
const Option = ({ id, item, typed, active, onChoose }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses through the combobox
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={active}
    onClick={onChoose}
    className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1 hover:bg-hover aria-selected:bg-hover max-md:min-h-11"
  >
    <span className="min-w-0 truncate" dir="auto">
      {partsBy(item.text, item.marks ?? rangesOf(item.text, typed)).map(
        ({ text, isMarked }, index) =>
          isMarked ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
            <mark key={index} className="rounded-xs bg-warn-wash text-ink">
              {text}
            </mark>
          ) : (
            text
          ),
      )}
    </span>
    {item.note && (
      <span className="ml-auto max-w-2/5 shrink-0 truncate text-xs text-faint">{item.note}</span>
    )}
  </div>
)

const all = ({ here, others }: Known): PaletteItem[] => [...here, ...others]

interface Known {
  readonly here: readonly PaletteItem[]
  readonly others: readonly PaletteItem[]
}

function useItems() {
  const words = useWords()
  const home = useHome()
  const write = useMay('write')
  const manage = useMay('manage')
  const navigate = useNavigate()
  const { projectId } = useParams({ strict: false })
  // As the place was when the palette was opened.
  const [here] = useState(() => itemsHere(words))
  const leave = () =>
    void signOut().catch((error: unknown) => notify(describeProblem(error, words).title))
  const may = { write, manage }
  const others = paletteItems({ words, home, may, navigate, signOut: leave, projectId })
  const known = { here, others }
  const projectName = (id: string | null) => home?.projects.find((each) => each.id === id)?.name
  const agentName = (id: string | undefined) => home?.agents.find((each) => each.id === id)?.name
  return {
    known,
    options: {
      words,
      navigate,
      projectName,
      agentName,
      onFile: (path: string) => mention(path, words),
    },
  }
}

/** Writes the file into the composer in front; copies its path where there is none. */
function mention(path: string, words: Messages): void {
  const area = document.querySelector<HTMLTextAreaElement>('[data-composer] textarea')
  if (!area) {
    void navigator.clipboard?.writeText(path).then(() => notify(words.palette.copied(path)))
    return
  }
  const text = `${area.value}${area.value === '' || area.value.endsWith(' ') ? '' : ' '}@${path} `
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, text)
  area.dispatchEvent(new Event('input', { bubbles: true }))
  requestAnimationFrame(focusComposer)
}

function grouped(items: readonly PaletteItem[]): [string, PaletteItem[]][] {
  const groups = new Map<string, PaletteItem[]>()
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item])
  return [...groups]
}
