/**
 * Lets the demo agent show what agents do: words, a plan, a command, a permission, a file (UI6). It
 * is started by that, and its project is in sight from then on.
 */
import { useNavigate } from '@tanstack/react-router'
import { client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import type { Demo } from './use-first-run.ts'

export function LookAround({ demo: { project, agent } }: { demo: Demo }) {
  const { firstRun } = useWords().now
  const navigate = useNavigate()
  const { waiting, error, send } = useSending()
  const place = { projectId: project.id, agentId: agent.id }
  const look = async () => {
    const body = {
      projectId: project.id,
      toAgentId: agent.id,
      content: `${firstRun.hello} [[tour]]`,
    }
    if (await send(body, (options) => client.post('/api/chat', { body, ...options })))
      await navigate({ to: '/projects/$projectId/chat/$agentId', params: place })
  }
  return (
    <>
      <ProblemNote error={error} />
      <SubmitButton look="quiet" type="button" waiting={waiting} onClick={() => void look()}>
        {firstRun.lookAround}
      </SubmitButton>
    </>
  )
}
