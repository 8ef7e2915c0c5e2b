/**
 * Signs the same person in on a phone: a code for its camera, good once (UI8). Says so where a
 * phone could not reach us.
 */
import { useEffect, useState } from 'react'
import { encode } from 'uqr'
import type { SignInCode } from '../../../src/protocol/access/people.ts'
import { signInLink } from '../../../src/protocol/access/sign-in-link.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button } from '../parts/button.tsx'
import { CopySecret } from '../parts/copy.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'

/** Names of the machine itself: on another one they lead nowhere. */
const isLoopback = (): boolean => /^(localhost|127\.|\[::1\])/.test(location.hostname)

export function PhoneSignIn({ onClose }: { onClose: () => void }) {
  const words = useWords()
  const writing = useWriting()
  const [made, setMade] = useState<SignInCode>()
  const [round, setRound] = useState(0)
  const { waiting, error, send, stop } = useSending<SignInCode>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each round; `send` is a new function at every turn
  useEffect(() => {
    setMade(undefined)
    void send(['phone', round], (options) => client.post('/api/sign-in-codes', options)).then(
      (code) => code && setMade(code),
    )
  }, [round])
  const link =
    made && (made.link ?? (isLoopback() ? undefined : signInLink(location.origin, made.code)))
  return (
    <InputDialog open title={words.phone.open} onClose={onClose}>
      <DialogBody>
        <SlowAnswer waiting={waiting} onStop={stop} />
        <ProblemNote error={error} />
        {made && !link && (
          <div
            role="alert"
            className="flex flex-col gap-1 rounded-md bg-warn-wash px-3 py-2.5 text-warn"
          >
            <p>{words.phone.unreachable}</p>
            <p>{words.phone.unreachableNext}</p>
          </div>
        )}
        {made && link && (
          <>
            <p>{words.phone.scan}</p>
            <CameraCode text={link} label={words.phone.code} />
            <p className="text-quiet">
              {words.phone.expires} {writing.exact(made.expiresAt)}
            </p>
            <p className="text-quiet">{words.phone.orLink}</p>
            <CopySecret secret={link} onCopied={() => {}} />
          </>
        )}
      </DialogBody>
      <DialogFoot>
        {link && <Button onClick={() => setRound(round + 1)}>{words.phone.again}</Button>}
        <Button onClick={onClose}>{words.act.done}</Button>
      </DialogFoot>
    </InputDialog>
  )
}

/** Dark on light in either theme: many cameras do not read the inverse. */
function CameraCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const dark = data
    .flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-64 rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  )
}
