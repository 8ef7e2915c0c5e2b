/** A button that sends at once, without a question, and says why when it fails. */
import type { ReactNode } from 'react'
import { type RequestOptions, useSending } from '../live/sending.ts'
import { SubmitButton } from './button.tsx'
import { ProblemNote } from './problem-note.tsx'

interface SendingButtonProps {
  readonly look?: 'plain' | 'quiet'
  readonly label: string
  /** What is sent; the same again after a lost answer is done once. */
  readonly content: unknown
  readonly request: (options: RequestOptions) => Promise<unknown>
  readonly onDone: () => void
  readonly children: ReactNode
}

export function SendingButton({
  look = 'plain',
  label,
  content,
  request,
  onDone,
  children,
}: SendingButtonProps) {
  const { waiting, error, send } = useSending<true>()
  const pressed = async () => {
    const sent = await send(content, async (options) => {
      await request(options)
      return true
    })
    if (sent) onDone()
  }
  return (
    <>
      <ProblemNote error={error} />
      <SubmitButton
        look={look}
        type="button"
        data-press
        waiting={waiting}
        aria-label={label}
        onClick={() => void pressed()}
      >
        {children}
      </SubmitButton>
    </>
  )
}
