/**
 * Changes an agent. A draft stays where it is while the agent changes elsewhere; only what was
 * touched is sent.
 */
import { type FormEvent, useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { useDraft } from '../live/draft.ts'
import { withAgent } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { SaveBar } from '../parts/save-bar.tsx'
import { useWords } from '../translations/messages.tsx'
import { type AgentTexts, changesTo, isFine, problemsOf, textsOf } from './agent-draft.ts'
import { AgentFields } from './agent-fields.tsx'

interface Draft {
  readonly texts: AgentTexts
  /** The agent as it was when the typing began: what differs from it is what was meant. */
  readonly from: Agent
}

export function AgentDetails({ agent, mayManage }: { agent: Agent; mayManage: boolean }) {
  const words = useWords()
  const [draft, setDraft, clearDraft] = useDraft<Draft | undefined>(
    `agent.${agent.id}`,
    undefined,
    'memory',
  )
  const [tried, setTried] = useState(false)
  const { waiting, error, send, stop, forget } = useSending<Agent>()
  const texts = draft?.texts ?? textsOf(agent)
  const change = draft ? changesTo(draft.from, draft.texts) : {}
  const changes = Object.keys(change).length
  const problems = problemsOf(texts, words)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (changes === 0 || !isFine(problems)) return
    const params = { agentId: agent.id }
    const changed = await send(change, (options) =>
      client.patch('/api/agents/{agentId}', { params, body: change, ...options }),
    )
    if (!changed) return
    discard()
    changeHome((home) => withAgent(home, changed))
    notify(words.agents.saved(changed.name))
  }

  function discard() {
    clearDraft()
    setTried(false)
    forget()
  }

  return (
    <Section title={words.agents.details}>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4 border-y border-line py-4">
        {!mayManage && <p className="text-quiet">{words.agents.mayNot}</p>}
        <fieldset
          disabled={!mayManage}
          className={`flex flex-col gap-4 ${waiting ? 'opacity-60' : ''}`}
        >
          <AgentFields
            isNew={false}
            texts={texts}
            onTexts={(next) => setDraft({ texts: next, from: draft?.from ?? agent })}
            problems={problems}
            tried={tried || draft !== undefined}
          />
        </fieldset>
        <SaveBar
          changes={changes}
          waiting={waiting}
          error={error}
          onStop={stop}
          onDiscard={discard}
        />
      </form>
    </Section>
  )
}
