/**
 * Lets another agent, or another model, go on with a session; what it will read, and about how many
 * tokens, is said before.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, invalidate, useHome } from '../../live/queries.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useWriting } from '../../translations/messages.tsx'
import { useRequest } from '../../turns/use-request.ts'
import { useContinueWords } from './continue-words.ts'

interface ContinueDialogProps {
  readonly conversationKey: string
  readonly projectId: string
  /** The present one. */
  readonly agentId: string
  readonly onClose: () => void
}

const path = '/api/conversations/{key}/agent'

export function ContinueDialog({
  conversationKey: key,
  projectId,
  agentId: present,
  onClose,
}: ContinueDialogProps) {
  const words = useContinueWords()
  const writing = useWriting()
  const navigate = useNavigate()
  const home = useHome()
  const own = home?.projects.find(({ id }) => id === projectId)?.agentIds ?? []
  const agents = (home?.agents ?? []).filter(({ id }) => own.includes(id))
  const [agentId, setAgent] = useState(agents.find(({ id }) => id !== present)?.id ?? present)
  const [model, setModel] = useState('')
  const { send, waiting, error } = useRequest()
  const name = agents.find(({ id }) => id === agentId)?.name ?? agentId
  const preview = useQuery({
    queryKey: ['next-agent', key, agentId],
    queryFn: ({ signal }) => client.get(path, { params: { key }, query: { agentId }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const { data } = preview
  const isSame = agentId === present
  const go = async () => {
    if (!data) return
    const isDone = await send(async () => {
      if (data.running) await client.post('/api/conversations/{key}/stop', { params: { key } })
      const next = await client.post(path, {
        params: { key },
        body: { agentId, ...(model !== '' && { model }) },
      })
      await invalidate(['conversation', key])
      if (next.key !== key)
        await navigate({
          to: '/projects/$projectId/session/$key',
          params: { projectId, key: next.key },
        })
    })
    if (isDone) onClose()
  }
  return (
    <InputDialog title={words.title} open onClose={onClose}>
      <DialogBody>
        <SelectField
          label={words.agent}
          value={agentId}
          options={agents.map((agent) => ({ value: agent.id, name: agent.name }))}
          onValue={(id) => {
            setAgent(id)
            setModel('')
          }}
        />
        {agents.length === 1 && <p className="text-quiet">{words.nobody}</p>}
        {data && data.models.length > 0 && (
          <SelectField
            label={words.model}
            value={model}
            options={[
              { value: '', name: words.asItIs },
              ...data.models.map((each) => ({ value: each.id, name: each.name })),
            ]}
            onValue={setModel}
          />
        )}
        {data?.refused ? (
          <p role="alert" className="text-warn">
            {data.refused}
          </p>
        ) : data ? (
          <div role="status" className="flex flex-col gap-1">
            {!isSame && <p>{words.reads(writing.short(data.tokens), data.messages)[data.reads]}</p>}
            {!isSame && data.leftOut > 0 && <p>{words.leftOut(data.leftOut)}</p>}
            <p className="text-quiet">
              {[
                data.beginsAnother && !isSame ? words.another : words.place,
                data.queued > 0 && words.queued(data.queued),
              ]
                .filter(Boolean)
                .join(' ')}
            </p>
          </div>
        ) : (
          !preview.error && <Waiting what={words.looking} onRetry={() => void preview.refetch()} />
        )}
        <ProblemNote error={preview.error} onRetry={() => void preview.refetch()} />
        <ProblemNote error={error} />
      </DialogBody>
      <DialogFoot>
        <SubmitButton
          type="button"
          waiting={waiting}
          disabled={!data || data.refused !== null || (isSame && model === '')}
          onClick={() => void go()}
        >
          {data?.running ? words.stopAndGo(name) : words.go(name)}
        </SubmitButton>
      </DialogFoot>
    </InputDialog>
  )
}
