/**
 * A project without agents: each one that is here or installed is one click away from the first
 * prompt (UI6).
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { DetectedAgent } from '../../../src/protocol/agents/detected-agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { addDetected, addedAs, detectedAgents, draftOf } from '../agents/detected.ts'
import { withAssignment } from '../live/home.ts'
import { changeHome, client, useHome, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

/** Offered at most; the others are in the menu. */
const mostOffered = 12

export function FirstAgents({ project }: { project: Project }) {
  const { project: words } = useWords()
  const mayManage = useMay('manage')
  const agents = useHome()?.agents ?? []
  const found = useQuery({ ...detectedAgents, enabled: mayManage }).data ?? []
  const missing = found.filter((each) => addedAs(each, agents).length === 0)
  if (agents.length + missing.length === 0) return null
  return (
    <div className="flex flex-col gap-2 pt-3">
      <p className="text-sm text-quiet">{words.startWith}</p>
      <div className="flex flex-wrap gap-2">
        {agents.slice(0, mostOffered).map((agent) => (
          <StartWith key={agent.id} project={project} name={agent.name} agent={agent} />
        ))}
        {missing.slice(0, mostOffered).map((each) => (
          <StartWith key={`found-${each.id}`} project={project} name={each.name} found={each} />
        ))}
      </div>
    </div>
  )
}

interface StartWithProps {
  readonly project: Project
  readonly name: string
  readonly agent?: Agent
  /** Installed, and not added yet. */
  readonly found?: DetectedAgent
}

function StartWith({ project: { id: projectId }, name, agent, found }: StartWithProps) {
  const navigate = useNavigate()
  const agents = useHome()?.agents ?? []
  const { waiting, error, send } = useSending<Agent>()
  async function start() {
    const assigned = await send([projectId, name], async (options) => {
      const chosen = agent ?? (found && (await addDetected(draftOf(found, agents), options)))
      if (!chosen) throw new Error('There is no agent')
      await client.put('/api/projects/{projectId}/agents/{agentId}', {
        params: { projectId, agentId: chosen.id },
      })
      return chosen
    })
    if (!assigned) return
    changeHome((home) => withAssignment(home, projectId, assigned.id, true))
    await navigate({
      to: '/projects/$projectId/chat/$agentId',
      params: { projectId, agentId: assigned.id },
    })
  }
  return (
    <>
      <SubmitButton look="plain" type="button" waiting={waiting} onClick={() => void start()}>
        {name}
      </SubmitButton>
      <ProblemNote error={error} />
    </>
  )
}
