/**
 * The two ways to get work out of a worktree from here: commit it on its branch, and bring it into
 * another (WT6).
 */
import { type FormEvent, useState } from 'react'
import type { Worktree, WorktreeState } from '../../../src/protocol/worktrees/worktree.ts'
import { client } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { CopyText } from '../parts/copy.tsx'
import { TextField } from '../parts/field.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { keyOf } from './worktree-queries.ts'

const one = '/api/projects/{projectId}/worktrees/{worktreeId}'
const paramsOf = ({ projectId, id }: Worktree) => ({ projectId, worktreeId: id })

interface FormProps {
  readonly worktree: Worktree
  readonly state: WorktreeState
  /** Says what came of it. */
  readonly onDone: (outcome: string) => void
}

/** A refusal that was true of another state of the worktree is not shown any more. */
function useRequestOf({ head, uncommitted, ahead, behind }: WorktreeState) {
  const { send, waiting, error } = useRequest()
  const now = `${head} ${uncommitted} ${ahead} ${behind}`
  const [failedAt, setFailedAt] = useState('')
  const sendNow = (request: () => Promise<unknown>) => {
    setFailedAt(now)
    return send(request)
  }
  return { send: sendNow, waiting, error: failedAt === now ? error : undefined }
}

export function CommitForm({
  worktree,
  name,
  state,
  onDone,
}: FormProps & { readonly name: string }) {
  const { worktrees: words } = useWords()
  const [message, setMessage] = useState(worktree.conversation ? name : words.messageDefault(name))
  const { send, waiting, error } = useRequestOf(state)
  const commit = async (event: FormEvent) => {
    event.preventDefault()
    const body = message.trim() === '' ? {} : { message }
    const isDone = await send(() =>
      client.post(`${one}/commit`, { params: paramsOf(worktree), body }),
    )
    if (isDone) onDone(words.committed(state.uncommitted))
  }
  return (
    <form
      onSubmit={(event) => void commit(event)}
      className="flex min-w-0 flex-2 basis-80 flex-wrap items-end gap-2"
    >
      <TextField
        label={words.message}
        value={message}
        onValue={setMessage}
        className="min-w-40 flex-1"
      />
      <SubmitButton waiting={waiting}>{words.commit}</SubmitButton>
      <ProblemNote error={error} />
    </form>
  )
}

export function MergeForm({ worktree, state, onDone }: FormProps) {
  const { worktrees: words } = useWords()
  const [branch, setBranch] = useState(worktree.baseBranch ?? '')
  const { send, waiting, error } = useRequestOf(state)
  const bring = (how: 'merge' | 'rebase') =>
    send(async () => {
      const body = { how, ...(branch.trim() !== '' && { branch: branch.trim() }) }
      const brought = await client.post(`${one}/merge`, { params: paramsOf(worktree), body })
      onDone(
        brought.outcome === 'done'
          ? words.merged(brought.branch)
          : words.nothingNew(brought.branch),
      )
    })
  if (state.ahead === 0 && state.uncommitted === 0) return null
  return (
    <form
      className="flex min-w-0 flex-1 basis-80 flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void bring('merge')
      }}
    >
      <TextField
        label={words.into}
        value={branch}
        onValue={setBranch}
        mono
        className="min-w-24 flex-1"
      />
      <SubmitButton
        waiting={waiting}
        look={state.uncommitted > 0 ? 'plain' : 'primary'}
        title={state.uncommitted > 0 ? words.commitFirst : undefined}
      >
        {words.merge}
      </SubmitButton>
      <SubmitButton
        type="button"
        look="plain"
        waiting={waiting}
        onClick={() => void bring('rebase')}
      >
        {words.rebase}
      </SubmitButton>
      {error !== undefined && (
        <div className="flex w-full flex-col gap-2">
          <ProblemNote error={error} />
          <Conflicts error={error} />
          <ResolveByAgent worktree={worktree} branch={branch} error={error} onDone={onDone} />
        </div>
      )}
    </form>
  )
}

/** LD4: the agent is given the conflict; what it makes of it is reviewed like any change. */
function ResolveByAgent({
  worktree,
  branch,
  error: conflict,
  onDone,
}: Pick<FormProps, 'worktree' | 'onDone'> & { branch: string; error: unknown }) {
  const words = useWords().worktrees.review
  const { send, waiting, error } = useRequest()
  const key = keyOf(worktree)
  if (key === undefined || problemIn(conflict)?.code !== 'merge_conflict') return null
  const resolve = () =>
    send(async () => {
      const body = branch.trim() === '' ? {} : { into: branch.trim() }
      await client.post('/api/conversations/{key}/land/resolve', { params: { key }, body })
      onDone(words.resolving)
    })
  return (
    <>
      <SubmitButton type="button" look="plain" waiting={waiting} onClick={() => void resolve()}>
        {words.letResolve}
      </SubmitButton>
      <ProblemNote error={error} />
    </>
  )
}

/** Shows the conflicts of a merge, and the commands to type instead. */
function Conflicts({ error }: { error: unknown }) {
  const { worktrees: words } = useWords()
  const problem = problemIn(error) as { files?: unknown; command?: unknown } | undefined
  const files = Array.isArray(problem?.files) ? problem.files.map(String) : []
  const command = typeof problem?.command === 'string' ? problem.command : undefined
  return (
    <>
      {files.length > 0 && (
        <p className="text-sm [overflow-wrap:anywhere]">
          {words.conflicts}: <span className="font-mono text-xs">{files.join(', ')}</span>
        </p>
      )}
      {command && (
        <p className="flex min-w-0 items-center gap-1 rounded-md bg-sunken px-3 py-1">
          <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
            {command}
          </code>
          <CopyText text={command} what={words.command} />
        </p>
      )}
    </>
  )
}
