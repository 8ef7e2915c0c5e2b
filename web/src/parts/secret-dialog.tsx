/** Shows a secret that the server will never tell again. It cannot be closed by accident. */
import { useState } from 'react'
import { useWords } from '../translations/messages.tsx'
import { Button } from './button.tsx'
import { CopySecret } from './copy.tsx'
import { DialogBody, DialogFoot, InputDialog } from './dialog.tsx'

export interface Secret {
  readonly title: string
  readonly text?: string
  readonly value: string
}

export function SecretDialog({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  const words = useWords()
  const [copied, setCopied] = useState(false)
  return (
    <InputDialog open keepOpen title={secret.title} onClose={onClose}>
      <DialogBody>
        <p>{words.secret.once}</p>
        <CopySecret secret={secret.value} onCopied={() => setCopied(true)} />
        {secret.text && <p className="text-quiet">{secret.text}</p>}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{copied ? words.act.done : words.secret.doneUncopied}</Button>
      </DialogFoot>
    </InputDialog>
  )
}
