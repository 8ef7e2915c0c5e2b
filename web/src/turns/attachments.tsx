/**
 * Pictures and files that go with a prompt (AG6), within what the server takes (SE8). A picture for
 * an agent that takes none is said so.
 */
import { useRef, useState } from 'react'
import type { PromptPart } from '../../../src/protocol/turns/prompt.ts'
import { useDraft } from '../live/draft.ts'
import { IconButton } from '../parts/button.tsx'
import { ClipIcon, CloseIcon } from '../parts/icons.tsx'
import { useWords } from '../translations/messages.tsx'

/**
 * The server's limit (src/protocol/turns/prompt.ts), less some room for the text of the prompt and
 * for what JSON adds.
 */
const mostAttachedChars = 650_000
const mostAttached = 20

export type Attachment = Extract<PromptPart, { type: 'image' | 'file' }>

/** What was sent with a message; other programs may have put anything there. */
export const attachedTo = (media: unknown): Attachment[] =>
  (Array.isArray(media) ? media : []).filter((part): part is Attachment =>
    /^(?:image|file)$/.test(String((part as PromptPart | null)?.type)),
  )

type Trouble = 'tooLarge' | 'tooMany' | 'noPictures' | 'notText'

const sizeOf = (part: Attachment): number =>
  part.type === 'image' ? part.base64.length : part.text.length

async function read(file: File): Promise<Attachment> {
  const name = file.name.slice(0, 200) || 'file'
  if (file.type.startsWith('image/')) {
    const bytes = new Uint8Array(await file.arrayBuffer())
    let binary = ''
    for (const byte of bytes) binary += String.fromCharCode(byte)
    return { type: 'image', mimeType: file.type, base64: btoa(binary) }
  }
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  return { type: 'file', name, mimeType: file.type || 'text/plain', text }
}

/**
 * Kept with the draft while one looks elsewhere or the agent starts anew; they may hold secrets, so
 * in no storage.
 */
export function useAttachments(draftKey: string, takesPictures: boolean) {
  const [attached, setAttached, clearAttached] = useDraft<readonly Attachment[]>(
    `${draftKey}.attached`,
    [],
    'memory',
  )
  const [trouble, setTrouble] = useState<Trouble | undefined>()
  const [reading, setReading] = useState(false)
  // Those of now, for files that are read meanwhile: none is put back, and none is left out.
  const current = useRef(attached)
  current.current = attached

  async function add(files: readonly File[]) {
    setTrouble(undefined)
    setReading(true)
    setTrouble(await take(files).finally(() => setReading(false)))
  }

  async function take(files: readonly File[]): Promise<Trouble | undefined> {
    const added: Attachment[] = []
    for (const file of files) {
      if (file.type.startsWith('image/') && !takesPictures) return 'noPictures'
      if (file.size > mostAttachedChars) return 'tooLarge'
      try {
        added.push(await read(file))
      } catch {
        return 'notText'
      }
    }
    const next = [...current.current, ...added]
    if (next.length > mostAttached) return 'tooMany'
    if (next.reduce((sum, part) => sum + sizeOf(part), 0) > mostAttachedChars) return 'tooLarge'
    current.current = next
    setAttached(next)
    return undefined
  }

  /** What was attached to a prompt that was withdrawn, as far as there is room for it. */
  const putBack = (parts: readonly Attachment[]) => {
    const next = [...current.current, ...parts].slice(0, mostAttached)
    current.current = next
    setAttached(next)
  }
  const clear = () => {
    clearAttached()
    setTrouble(undefined)
  }
  const remove = (part: Attachment) => setAttached(attached.filter((each) => each !== part))
  return { attached, trouble, reading, add, putBack, clear, remove }
}

type Attachments = ReturnType<typeof useAttachments>

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const { console: words } = useWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <IconButton label={words.attach} onClick={() => input.current?.click()}>
        <ClipIcon />
      </IconButton>
    </>
  )
}

export function AttachedList({
  attached,
  trouble,
  remove,
}: Pick<Attachments, 'attached' | 'trouble' | 'remove'>) {
  const { console: words } = useWords()
  return (
    <>
      {attached.length > 0 && (
        <ul aria-label={words.attached} className="flex flex-wrap gap-1.5">
          {attached.map((part, index) => {
            const name = part.type === 'image' ? words.picture : part.name
            return (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: two may be the same
                key={index}
                data-attached
                className="flex max-w-full items-center rounded-md bg-sunken text-sm shadow-[inset_0_0_0_1px_var(--line)]"
              >
                {part.type === 'image' ? (
                  <Picture part={part} />
                ) : (
                  <span className="truncate pl-2">{name}</span>
                )}
                <IconButton label={words.detach(name)} onClick={() => remove(part)}>
                  <CloseIcon />
                </IconButton>
              </li>
            )
          })}
        </ul>
      )}
      {trouble && (
        <p role="alert" className="text-sm text-bad">
          {words.cannotAttach[trouble]}
        </p>
      )}
    </>
  )
}

/**
 * A picture that is at hand, small; its type is one that browsers draw without running anything.
 */
export function Picture({ part }: { part: Extract<PromptPart, { type: 'image' }> }) {
  const { console: words } = useWords()
  if (part.base64 === '' || !drawn.test(part.mimeType))
    return <span className="px-2">{words.picture}</span>
  return (
    <img
      src={`data:${part.mimeType};base64,${part.base64}`}
      alt={words.picture}
      className="h-12 max-w-40 rounded-md object-contain"
    />
  )
}

const drawn = /^image\/(?:png|jpeg|gif|webp)$/
