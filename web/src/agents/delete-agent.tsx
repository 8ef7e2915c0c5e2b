/** Deletes an agent: says what is lost and what stays, and asks once. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { withoutAgent } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'

export function DeleteAgent({ agent }: { agent: Agent }) {
  const words = useWords()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const params = { agentId: agent.id }
  const onDone = async () => {
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
      <ConfirmSending
        open={asking}
        onClose={() => setAsking(false)}
        title={words.agents.deleteTitle(agent.name)}
        act={words.act.delete}
        content={params}
        request={(options) => client.delete('/api/agents/{agentId}', { params, ...options })}
        onDone={onDone}
      >
        <p>{words.agents.deleteLost(agent.projectIds.length)}</p>
        <p>{words.agents.deleteStays}</p>
      </ConfirmSending>
    </Section>
  )
}
