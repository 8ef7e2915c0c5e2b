/**
 * Asks once before something is sent that cannot be undone; stays open and says why when it fails.
 */
import type { ReactNode } from 'react'
import { type RequestOptions, useSending } from '../live/sending.ts'
import { SubmitButton } from './button.tsx'
import { Confirm } from './dialog.tsx'
import { ProblemNote } from './problem-note.tsx'

interface ConfirmSendingProps<Answer> {
  readonly title: string
  /** Words of the button that sends. */
  readonly act: string
  readonly look?: 'danger' | 'primary'
  readonly open: boolean
  readonly onClose: () => void
  /** What is sent; the same again after a lost answer is done once. */
  readonly content: unknown
  readonly request: (options: RequestOptions) => Promise<Answer>
  readonly onDone: (answer: Answer) => unknown
  readonly children: ReactNode
}

export function ConfirmSending<Answer>(props: ConfirmSendingProps<Answer>) {
  const { title, act, look = 'danger', open, onClose, content, request, onDone, children } = props
  const { waiting, error, send } = useSending<{ answer: Answer }>()
  const confirmed = async () => {
    const sent = await send(content, async (options) => ({ answer: await request(options) }))
    if (!sent) return
    onClose()
    await onDone(sent.answer)
  }
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={title}
      action={
        <SubmitButton look={look} type="button" waiting={waiting} onClick={() => void confirmed()}>
          {act}
        </SubmitButton>
      }
    >
      {children}
      <ProblemNote error={error} />
    </Confirm>
  )
}
