/** Adds an agent and shows its passkey, once. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { AgentWithPasskey } from '../../../src/protocol/agents/agent.ts'
import { useDraft } from '../live/draft.ts'
import { withAgent } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { InputDialog } from '../parts/dialog.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { isFine, meaningOf, noTexts, problemsOf } from './agent-draft.ts'
import { AgentFields } from './agent-fields.tsx'
import { sandboxFor } from './detected.ts'

interface CreationProps {
  readonly layout: (fields: ReactNode, submit: ReactNode) => ReactNode
  readonly onClose: () => void
}

export function AgentCreation({ layout, onClose }: CreationProps) {
  const words = useWords()
  const navigate = useNavigate()
  // Kept in memory only: the environment may hold secrets.
  const [texts, setTexts, clearTexts] = useDraft('new-agent', noTexts, 'memory')
  const [tried, setTried] = useState(false)
  const [created, setCreated] = useState<AgentWithPasskey>()
  const { waiting, error, send, stop } = useSending<AgentWithPasskey>()
  const problems = problemsOf(texts, words)

  const show = (agentId: string) =>
    void navigate({ to: '/agents/$agentId', params: { agentId }, search: {}, replace: true })

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (!isFine(problems)) return
    const body = { ...meaningOf(texts), ...(texts.id.trim() && { id: texts.id.trim() }) }
    const agent = await send(body, async (options) => {
      const tried = texts.sandbox === 'auto' ? await sandboxFor(body) : {}
      return client.post('/api/agents', { body: { ...body, ...tried }, ...options })
    })
    if (!agent) return
    const { passkey: _, ...known } = agent
    clearTexts()
    changeHome((home) => withAgent(home, known))
    notify(words.agents.created(agent.name))
    if (texts.sandbox === 'auto' && agent.command) notify(words.agents.sandboxChosen(agent.sandbox))
    // One that is prompted never signs in by itself.
    if (agent.protocol === 'acp') show(agent.id)
    else setCreated(agent)
  }

  if (created) {
    const secret = {
      title: words.agents.passkeyOnce(created.name),
      text: words.agents.passkeyText,
      value: created.passkey,
    }
    return <SecretDialog secret={secret} onClose={() => show(created.id)} />
  }
  const fields = (
    <>
      <AgentFields isNew texts={texts} onTexts={setTexts} problems={problems} tried={tried} />
      <ProblemNote error={error} typed />
      <SlowAnswer waiting={waiting} onStop={stop} />
    </>
  )
  return (
    <InputDialog open title={words.agents.new} onClose={onClose}>
      <form onSubmit={submit} noValidate className="contents">
        {layout(fields, <SubmitButton waiting={waiting}>{words.act.add}</SubmitButton>)}
      </form>
    </InputDialog>
  )
}
