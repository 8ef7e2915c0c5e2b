/** Replaces an agent's passkey: asks once, then shows the new one, once. */
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { Section } from '../parts/page.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useWords } from '../translations/messages.tsx'

export function Passkey({ agent }: { agent: Agent }) {
  const words = useWords()
  const [asking, setAsking] = useState(false)
  const [passkey, setPasskey] = useState<string>()
  const params = { agentId: agent.id }
  return (
    <Section title={words.agents.passkey}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
        <p className="text-quiet">{words.agents.passkeyText}</p>
        <Button onClick={() => setAsking(true)}>{words.agents.passkeyReplace}</Button>
      </div>
      <ConfirmSending
        title={words.agents.passkeyReplaceTitle(agent.name)}
        act={words.agents.passkeyReplaceDo}
        look="primary"
        open={asking}
        onClose={() => setAsking(false)}
        content={params}
        request={(options) => client.post('/api/agents/{agentId}/passkey', { params, ...options })}
        onDone={(answer) => setPasskey(answer.passkey)}
      >
        <p>{words.agents.passkeyReplaceText}</p>
      </ConfirmSending>
      {passkey && (
        <SecretDialog
          secret={{ title: words.agents.passkeyOnce(agent.name), value: passkey }}
          onClose={() => setPasskey(undefined)}
        />
      )}
    </Section>
  )
}
