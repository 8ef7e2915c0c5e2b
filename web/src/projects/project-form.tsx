/** Creates a project: its name, and its folder if it is known already. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useDraft } from '../live/draft.ts'
import { withProject } from '../live/home.ts'
import { changeHome, client, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { nameProblem, pathProblem } from '../parts/checks.ts'
import { TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { notify } from '../parts/notices.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { FolderPicker } from './folder-picker.tsx'

interface ProjectFormProps {
  /** The layout of fields and buttons; stacked when left out. */
  readonly layout?: (fields: ReactNode, submit: ReactNode) => ReactNode
}

export function ProjectForm({ layout = inline }: ProjectFormProps) {
  const words = useWords()
  const navigate = useNavigate()
  const mayManage = useMay('manage')
  const [draft, setDraft, clearDraft] = useDraft('new-project', { name: '', path: '' })
  const [tried, setTried] = useState(false)
  const { waiting, error, send, stop } = useSending<Project>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (nameProblem(draft.name, words) || pathProblem(draft.path, words)) return
    const body = { name: draft.name.trim(), ...(draft.path.trim() && { path: draft.path.trim() }) }
    const project = await send(body, (options) =>
      client.post('/api/projects', { body, ...options }),
    )
    if (!project) return
    clearDraft()
    changeHome((home) => withProject(home, project))
    notify(words.projects.created(project.name))
    await navigate({
      to: '/projects/$projectId',
      params: { projectId: project.id },
      search: {},
      replace: true,
    })
  }

  const fields = (
    <>
      <TextField
        label={words.projects.name}
        placeholder={words.projects.nameExample}
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
        error={tried ? nameProblem(draft.name, words) : undefined}
        required
      />
      {mayManage && (
        <FolderPicker path={draft.path} onPath={(path) => setDraft(named({ ...draft, path }))} />
      )}
      {mayManage && (
        <TextField
          label={words.projects.path}
          hint={words.projects.pathHint}
          placeholder="/home/ada/shop-backend"
          optional
          mono
          value={draft.path}
          onValue={(path) => setDraft({ ...draft, path })}
          error={pathProblem(draft.path, words)}
        />
      )}
      <ProblemNote error={error} typed />
      <SlowAnswer waiting={waiting} onStop={stop} />
    </>
  )
  return (
    <form onSubmit={submit} noValidate className="contents">
      {layout(fields, <SubmitButton waiting={waiting}>{words.act.create}</SubmitButton>)}
    </form>
  )
}

/** A project without a name is called as its folder. */
const named = ({ name, path }: { name: string; path: string }) => ({
  path,
  name: name.trim() === '' ? (path.split(/[\\/]/).findLast(Boolean) ?? '') : name,
})

const inline = (fields: ReactNode, submit: ReactNode) => (
  <div className="flex flex-col gap-4">
    {fields}
    <div>{submit}</div>
  </div>
)
