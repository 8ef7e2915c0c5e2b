/** Asks before an agent or a whole console is ended, and sends the request to the relay. */
import type { ReactNode } from 'react'
import { SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'

interface ConfirmEndProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly request: () => Promise<unknown>
  readonly onEnded: () => void
  readonly children: ReactNode
}

export function ConfirmEnd({ title, open, onClose, request, onEnded, children }: ConfirmEndProps) {
  const { console: words } = useWords()
  const { send, waiting, error } = useRequest()
  const end = async () => {
    if (await send(request)) onEnded()
  }
  return (
    <Confirm
      title={title}
      open={open}
      onClose={onClose}
      action={
        <SubmitButton type="button" look="danger" waiting={waiting} onClick={() => void end()}>
          {words.end}
        </SubmitButton>
      }
    >
      <p>{children}</p>
      <ProblemNote error={error} />
    </Confirm>
  )
}
