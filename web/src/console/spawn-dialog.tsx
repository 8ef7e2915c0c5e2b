/** Puts an agent into a role of this user session: which role, which agent, in which folder (US2, AG2). */
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Agent } from '../../../src/protocol/agent.ts'
import { useWords } from '../messages/messages.tsx'
import { buttonClass, SubmitButton } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import type { LiveConsole } from './live-console.ts'
import { useAsking } from './use-asking.ts'

const longestRole = 64
const longestWorkspace = 1000

interface SpawnDialogProps {
  readonly projectId: string
  /** Those of the project that speak ACP. */
  readonly agents: readonly Agent[]
  /** Roles that are held. */
  readonly taken: readonly string[]
  readonly live: LiveConsole
  readonly onClose: () => void
  readonly onSpawned: (role: string) => void
}

export function SpawnDialog({ projectId, agents, taken, live, onClose, onSpawned }: SpawnDialogProps) {
  const words = useWords()
  const [role, setRole] = useState('')
  const [agentId, setAgentId] = useState(agents[0]?.id ?? '')
  const [workspace, setWorkspace] = useState('')
  const [tried, setTried] = useState(false)
  const { ask, waiting, error } = useAsking()
  const name = role.trim()
  const problem = name === '' ? words.form.needed : taken.includes(name) ? words.console.roleTaken : undefined

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (problem) return
    const where = workspace.trim()
    const request = { type: 'agent:spawn', role: name, agentId, ...(where && { workspace: where }) } as const
    if (await ask(() => live.request(request))) onSpawned(name)
  }

  if (agents.length === 0) {
    return (
      <InputDialog open title={words.console.spawn} onClose={onClose}>
        <DialogBody>
          <p>{words.console.noAgents}</p>
          <Link to="/projects/$projectId" params={{ projectId }} className={buttonClass()}>
            {words.chat.toOverview}
          </Link>
        </DialogBody>
      </InputDialog>
    )
  }
  return (
    <InputDialog open title={words.console.spawn} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate className="contents">
        <DialogBody>
          <TextField
            label={words.console.role}
            hint={words.console.roleHint}
            placeholder={words.console.roleExample}
            maxLength={longestRole}
            value={role}
            onValue={setRole}
            error={tried ? problem : undefined}
          />
          <SelectField
            label={words.console.agent}
            value={agentId}
            options={agents.map((agent) => ({ value: agent.id, name: agent.name }))}
            onValue={setAgentId}
          />
          <TextField
            label={words.console.workspace}
            hint={words.console.workspaceHint}
            placeholder={name}
            maxLength={longestWorkspace}
            mono
            optional
            value={workspace}
            onValue={setWorkspace}
          />
          <ProblemNote error={error} typed />
        </DialogBody>
        <DialogFoot>
          <SubmitButton waiting={waiting}>{words.console.start}</SubmitButton>
        </DialogFoot>
      </form>
    </InputDialog>
  )
}
