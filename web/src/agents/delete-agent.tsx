/** Deletes an agent: says what is lost and what stays, and asks once. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { withoutAgent } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

export function DeleteAgent({ agent }: { agent: Agent }) {
  const words = useWords()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const { waiting, error, send } = useSending<true>()

  async function remove() {
    const params = { agentId: agent.id }
    const done = await send(params, async (options) => {
      await client.delete('/api/agents/{agentId}', { params, ...options })
      return true
    })
    if (!done) return
    setAsking(false)
    await navigate({ to: '/agents' })
    changeHome((home) => withoutAgent(home, agent.id))
    notify(words.agents.deleted(agent.name))
  }

  return (
    <Section title={words.agents.danger}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
        <p className="text-quiet">{words.agents.dangerText}</p>
        <Button look="danger" onClick={() => setAsking(true)}>
          {words.agents.deleteButton}
        </Button>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={words.agents.deleteTitle(agent.name)}
        action={
          <SubmitButton look="danger" type="button" waiting={waiting} onClick={() => void remove()}>
            {words.act.delete}
          </SubmitButton>
        }
      >
        <p>{words.agents.deleteLost(agent.projectIds.length)}</p>
        <p>{words.agents.deleteStays}</p>
        <ProblemNote error={error} />
      </Confirm>
    </Section>
  )
}
