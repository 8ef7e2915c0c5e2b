/**
 * Brings files, conversation and the agent's context back to a turn, or undoes that (FS8). What
 * others changed since is shown first, and overwritten only when exactly that is confirmed.
 */
import { useState } from 'react'
import type { Conversation } from '../../../src/protocol/conversations/conversation.ts'
import type { RewindLoss } from '../../../src/protocol/worktrees/file-state.ts'
import { useDisplayName } from '../live/display-names.ts'
import { client, invalidate } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { ResetIcon } from '../parts/icons.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { useRequest } from './use-request.ts'

export type RewindTarget = { readonly turnId: string; readonly to: 'before' | 'after' } | 'undo'

interface Losses {
  readonly files: readonly RewindLoss[]
  readonly count: number
  readonly digest: string
}

const mostNamed = 20

const lossesIn = (error: unknown): Losses | undefined => {
  const problem = problemIn(error)
  return problem?.code === 'would_lose' ? (problem['losses'] as Losses | undefined) : undefined
}

function request(key: string, target: RewindTarget, confirm: string | undefined): Promise<unknown> {
  const confirmed = confirm === undefined ? {} : { confirm }
  if (target === 'undo')
    return client.post('/api/conversations/{key}/rewind/undo', { params: { key }, body: confirmed })
  const { turnId, to } = target
  const path = '/api/conversations/{key}/turns/{turnId}/rewind'
  return client.post(path, { params: { key, turnId }, body: { to, ...confirmed } })
}

interface RewindDialogProps {
  readonly conversationKey: string
  readonly target: RewindTarget
  readonly onClose: () => void
}

export function RewindDialog({ conversationKey: key, target, onClose }: RewindDialogProps) {
  const { files: words } = useWords()
  const { send, waiting, error } = useRequest()
  const losses = lossesIn(error)
  const go = async () => {
    if (!(await send(() => request(key, target, losses?.digest)))) return
    void invalidate(['conversation', key])
    void invalidate(['turn-files', key])
    refreshRecent()
    onClose()
  }
  const title = target === 'undo' ? words.undoTitle : words.rewindTitle[target.to]
  return (
    <Confirm
      title={title}
      open
      onClose={onClose}
      action={
        <SubmitButton
          type="button"
          look={losses ? 'danger' : 'primary'}
          waiting={waiting}
          onClick={() => void go()}
        >
          {losses ? words.overwrite : target === 'undo' ? words.undo : words.rewind}
        </SubmitButton>
      }
    >
      <p>{target === 'undo' ? words.undoText : words.rewindText}</p>
      {losses ? (
        <div
          role="alert"
          className="flex flex-col gap-1 rounded-md bg-warn-wash px-3 py-2 text-ink"
        >
          <p className="font-medium text-warn">{words.wouldLose(losses.count)}</p>
          <ul className="max-h-48 overflow-y-auto font-mono text-xs">
            {losses.files.slice(0, mostNamed).map(({ path, why }) => (
              <li key={path} className="[overflow-wrap:anywhere]">
                {path} <span className="font-sans text-quiet">{words.why[why]}</span>
              </li>
            ))}
          </ul>
          {losses.count > mostNamed && (
            <p className="text-sm">{words.more(losses.count - mostNamed)}</p>
          )}
        </div>
      ) : (
        <ProblemNote error={error} />
      )}
    </Confirm>
  )
}

/** Says at the end of a transcript that it was rewound, with the way to undo it. */
export function RewoundNote({
  conversation,
  mayWrite,
}: {
  conversation: Conversation
  mayWrite: boolean
}) {
  const { files: words } = useWords()
  const nameOf = useDisplayName()
  const writing = useWriting()
  const [undoing, setUndoing] = useState(false)
  const { rewound, key } = conversation
  if (!rewound) return null
  return (
    <div
      role="status"
      data-rewound
      className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-sunken px-3 py-2 text-sm text-quiet"
    >
      <ResetIcon className="size-3.5" />
      <span className="min-w-0 flex-1">
        {words.rewound[rewound.to](nameOf(rewound.by), writing.clock(Date.parse(rewound.at)))}
      </span>
      {mayWrite && (
        <SubmitButton type="button" look="plain" waiting={false} onClick={() => setUndoing(true)}>
          {words.undo}
        </SubmitButton>
      )}
      {undoing && (
        <RewindDialog conversationKey={key} target="undo" onClose={() => setUndoing(false)} />
      )}
    </div>
  )
}
