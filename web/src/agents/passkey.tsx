/** Replaces an agent's passkey: asks once, then shows the new one, once. */
import { useState } from 'react'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { useWords } from '../translations/messages.tsx'

export function Passkey({ agent }: { agent: Agent }) {
  const words = useWords()
  const [asking, setAsking] = useState(false)
  const [passkey, setPasskey] = useState<string>()
  const { waiting, error, send } = useSending<{ passkey: string }>()

  async function replace() {
    const params = { agentId: agent.id }
    const answer = await send(params, (options) => client.post('/api/agents/{agentId}/passkey', { params, ...options }))
    if (!answer) return
    setAsking(false)
    setPasskey(answer.passkey)
  }

  return (
    <Section title={words.agents.passkey}>
      <div className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
        <p className="text-quiet">{words.agents.passkeyText}</p>
        <Button onClick={() => setAsking(true)}>{words.agents.passkeyReplace}</Button>
      </div>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={words.agents.passkeyReplaceTitle(agent.name)}
        action={
          <SubmitButton type="button" waiting={waiting} onClick={() => void replace()}>
            {words.agents.passkeyReplaceDo}
          </SubmitButton>
        }
      >
        <p>{words.agents.passkeyReplaceText}</p>
        <ProblemNote error={error} />
      </Confirm>
      {passkey && (
        <SecretDialog
          secret={{ title: words.agents.passkeyOnce(agent.name), value: passkey }}
          onClose={() => setPasskey(undefined)}
        />
      )}
    </Section>
  )
}
