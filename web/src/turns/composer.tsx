/**
 * Where one writes to an agent: text, commands, files of the workplace, pictures; and what the
 * agent is set to and has used.
 */
import { type DragEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import type { Offers } from '../../../src/protocol/threads/offers.ts'
import { useDraft } from '../live/draft.ts'
import { Button } from '../parts/button.tsx'
import { WritingArea } from '../parts/writing-area.tsx'
import { useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { useWords, useWriting } from '../translations/messages.tsx'
import { AgentSettings, type ComposerSetting } from './agent-settings.tsx'
import { AttachButton, AttachedList, type Attachment, useAttachments } from './attachments.tsx'
import { useCompletion } from './completion.tsx'
import { UsageMeter } from './usage-meter.tsx'

export interface ComposerHandle {
  /** Puts what was withdrawn before what is written. */
  readonly putBack: (
    text: string,
    attached: readonly Attachment[],
    options: { readonly focus: boolean },
  ) => void
}

/** A touch screen would raise its keyboard over what is to be read. */
const hasTouch = (): boolean => matchMedia('(pointer: coarse)').matches

/** Nobody is taken out of a dialog or another field. */
const isFree = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"]') === null &&
  !/^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')

interface ComposerProps {
  readonly draftKey: string
  readonly name: string
  readonly longest: number
  readonly offers: Offers
  /** The conversation whose workplace `@` searches. */
  readonly conversationKey: string | undefined
  readonly mayAttach: boolean
  readonly mayConfigure?: boolean
  /** What the session has cost, where the agent does not say how full its context is. */
  readonly cost?: { readonly amount: number; readonly currency: string } | null | undefined
  /** A turn runs: what is sent waits for its end. */
  readonly isBusy: boolean
  /** False when it could not be taken. */
  readonly onSend: (text: string, attached: readonly Attachment[]) => boolean
  /** What is chosen for the next message beside what the agent offers. */
  readonly settings?: readonly ComposerSetting[]
  /** Takes the focus when the view opens. */
  readonly focusFirst?: boolean
  readonly handle?: Ref<ComposerHandle>
  /** Somebody has begun to write. */
  readonly onFirstKey?: (() => void) | undefined
}

export function Composer(props: ComposerProps) {
  const {
    draftKey,
    name,
    longest,
    offers,
    conversationKey,
    mayAttach,
    mayConfigure = true,
    cost,
    isBusy,
    onSend,
    settings = [],
    focusFirst = false,
    handle,
    onFirstKey,
  } = props
  const writing = useWriting()
  const { chat, console: words } = useWords()
  const enter = useChoice(enterChoice)
  const [text, setText, clearText] = useDraft(draftKey, '')
  const [caret, setCaret] = useState(0)
  const [full, setFull] = useState(false)
  const [isOver, setOver] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const attachments = useAttachments(draftKey, offers.images)
  const completion = useCompletion({
    text,
    caret,
    commands: offers.commands,
    conversationKey,
    onChange: (next, at) => {
      setText(next)
      setCaret(at)
      requestAnimationFrame(() => area.current?.setSelectionRange(at, at))
    },
  })

  useEffect(() => {
    if (focusFirst && !hasTouch() && isFree()) area.current?.focus({ preventScroll: true })
  }, [focusFirst])
  useImperativeHandle(handle, () => ({
    putBack(back, attached, { focus }) {
      setText([back, text].filter((each) => each.trim() !== '').join('\n\n'))
      attachments.putBack(attached)
      if (focus) area.current?.focus()
    },
  }))

  function send() {
    // Attachments that are still being read belong to this message.
    if (attachments.reading) return
    if (text.trim() === '' && attachments.attached.length === 0) return
    const taken = onSend(text, attachments.attached)
    setFull(!taken)
    if (!taken) return
    clearText()
    setCaret(0)
    attachments.clear()
    area.current?.focus()
  }

  const drop = (event: DragEvent) => {
    setOver(false)
    if (!mayAttach || event.dataTransfer.files.length === 0) return
    event.preventDefault()
    void attachments.add([...event.dataTransfer.files])
  }
  const over = (event: DragEvent) => {
    if (!mayAttach || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }

  return (
    <form
      data-composer
      className={`@container relative shrink-0 rounded-lg bg-raised p-2 shadow-[inset_0_0_0_1px_var(--edge)] focus-within:shadow-[inset_0_0_0_1px_var(--accent)] ${isOver ? 'bg-accent-wash' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onDrop={drop}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
    >
      {completion.menu}
      {full && (
        <p role="alert" className="px-1 text-sm text-warn">
          {chat.full}
        </p>
      )}
      <AttachedList {...attachments} />
      <WritingArea
        area={area}
        label={words.write(name)}
        value={text}
        longest={longest}
        onValue={(value) => {
          if (text === '' && value !== '') onFirstKey?.()
          setText(value)
        }}
        onSend={send}
        onKey={completion.onKey}
        onSelect={(element) => setCaret(element.selectionStart)}
        list={completion.list}
        className="w-full bg-transparent px-1.5 py-1.5 outline-none max-md:text-base"
        onPaste={(event) => {
          if (!mayAttach || event.clipboardData.files.length === 0) return
          event.preventDefault()
          void attachments.add([...event.clipboardData.files])
        }}
      />
      <div className="flex items-center gap-x-1">
        {mayAttach && <AttachButton onFiles={(files) => void attachments.add(files)} />}
        <AgentSettings offers={offers} mayWrite={mayConfigure} more={settings} />
        <span className="min-w-0 flex-1 shrink-100 truncate text-right text-xs text-faint @max-2xl:invisible">
          {isBusy ? words.keysWorking : chat.keys[enter]}
        </span>
        {offers.usage && <UsageMeter usage={offers.usage} />}
        {!offers.usage && cost && (
          <span className="px-1 text-xs text-quiet tabular-nums">
            {writing.money(cost.amount, cost.currency)}
          </span>
        )}
        <Button look="primary" type="submit" className="ml-auto">
          {isBusy ? words.queueIt : words.send}
        </Button>
      </div>
    </form>
  )
}
