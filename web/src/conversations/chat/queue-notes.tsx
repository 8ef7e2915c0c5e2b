/**
 * Tells, where the answer is waited for, why a message waits, with a way to have it answered now:
 * it waits for the folder (CX11), or is paused because the last turn was stopped or has failed
 * (SN20).
 */
import type { Conversation } from '../../../../src/protocol/conversations/conversation.ts'
import { client, invalidate } from '../../live/queries.ts'
import { useSending } from '../../live/sending.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useWords } from '../../translations/messages.tsx'

interface QueueNotesProps {
  readonly about: Conversation | undefined
  /** How many prompts wait. */
  readonly count: number
  readonly mayWrite: boolean
}

export function QueueNotes({ about, count, mayWrite }: QueueNotesProps) {
  const { workplace: words } = useWords().chat
  const { waiting, error, send } = useSending()
  if (!about || !(about.waitsFor || (about.paused && count > 0))) return null
  const { key, waitsFor, paused } = about
  const at = { params: { key } }
  const act = async () => {
    await send('answer', (options) =>
      paused
        ? client.post('/api/conversations/{key}/go-on', { ...at, body: { goOn: true }, ...options })
        : client.post('/api/conversations/{key}/begin', { ...at, ...options }),
    )
    await invalidate(['conversation', key])
  }
  const box = 'mb-1 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-wash'
  return (
    <div role="status" data-waits-for={paused ?? waitsFor} className={`${box} px-3 py-2 text-sm`}>
      <span className="min-w-0 flex-1 basis-60">
        {paused ? words.paused[paused](count) : words.waits}
      </span>
      {mayWrite && (
        <SubmitButton look="plain" type="button" waiting={waiting} onClick={() => void act()}>
          {paused ? words.goOn : words.begin}
        </SubmitButton>
      )}
      <ProblemNote error={error} />
    </div>
  )
}
