/**
 * Puts an agent into a role of this user session: which role, which agent, in which folder (US2,
 * AG2).
 */
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { Button, buttonClass, SubmitButton } from '../parts/button.tsx'
import { DialogBody, DialogFoot, InputDialog } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from '../turns/use-request.ts'
import { useAgentChoices } from './agent-choices.ts'
import type { LiveConsole } from './live-console.ts'

const maxRole = 64
const maxWorkspace = 1000

interface SpawnDialogProps {
  readonly project: Project
  /** Roles that are held. */
  readonly taken: readonly string[]
  readonly live: LiveConsole
  readonly onClose: () => void
  readonly onSpawned: (role: string) => void
}

export function SpawnDialog({ project, taken, live, onClose, onSpawned }: SpawnDialogProps) {
  const words = useWords()
  const [role, setRole] = useState('')
  const choices = useAgentChoices(project)
  const [wanted, setWanted] = useState<string>()
  const chosen = choices.find(({ value }) => value === wanted) ?? choices[0]
  const [workspace, setWorkspace] = useState('')
  const [tried, setTried] = useState(false)
  const { send, waiting, error } = useRequest()
  const name = role.trim()
  const problem =
    name === '' ? words.form.needed : taken.includes(name) ? words.console.roleTaken : undefined

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (problem || !chosen) return
    const folder = workspace.trim()
    const spawn = async () => {
      const agentId = await chosen.ready()
      await live.request({
        type: 'agent:spawn',
        role: name,
        agentId,
        ...(folder && { workspace: folder }),
      })
    }
    if (await send(spawn)) onSpawned(name)
  }

  if (!chosen) {
    return (
      <InputDialog open title={words.console.spawn} onClose={onClose}>
        <DialogBody>
          <p>{words.console.noAgents}</p>
          <Link
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            className={buttonClass()}
          >
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
            maxLength={maxRole}
            value={role}
            onValue={setRole}
            error={tried ? problem : undefined}
          />
          <SelectField
            label={words.console.agent}
            hint={chosen.group === undefined ? undefined : words.console.joinsProject}
            value={chosen.value}
            options={choices}
            onValue={setWanted}
          />
          <TextField
            label={words.console.workspace}
            hint={words.console.workspaceHint}
            placeholder={name}
            maxLength={maxWorkspace}
            mono
            optional
            value={workspace}
            onValue={setWorkspace}
          />
          <ProblemNote error={error} typed />
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{words.act.cancel}</Button>
          <SubmitButton waiting={waiting}>{words.console.start}</SubmitButton>
        </DialogFoot>
      </form>
    </InputDialog>
  )
}
