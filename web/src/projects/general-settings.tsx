/**
 * Edits a project's name and folder. Only what was touched is sent, so that two people can change
 * different things.
 */
import { type FormEvent, useState } from 'react'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { useDraft } from '../live/draft.ts'
import { withProject } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { nameProblem, pathProblem } from '../parts/checks.ts'
import { TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { SaveBar } from '../parts/save-bar.tsx'
import { useWords } from '../translations/messages.tsx'

/** Typed values; undefined where unchanged. */
interface Draft {
  name?: string
  path?: string
}

interface GeneralProps {
  readonly project: Project
  readonly mayWrite: boolean
  /** Whether the folder may be changed: it decides which files agents can reach. */
  readonly mayManage: boolean
}

export function GeneralSettings({ project, mayWrite, mayManage }: GeneralProps) {
  const words = useWords()
  const [draft, setDraft, clearDraft] = useDraft<Draft>(`general.${project.id}`, {})
  const [tried, setTried] = useState(false)
  const { waiting, error, send, stop, forget } = useSending<Project>()
  const name = draft.name ?? project.name
  const path = draft.path ?? project.path ?? ''
  const change = {
    ...(name.trim() !== project.name && { name: name.trim() }),
    ...(path.trim() !== (project.path ?? '') && { path: path.trim() || null }),
  }
  const changes = Object.keys(change).length

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (changes === 0 || nameProblem(name, words) || pathProblem(path, words)) return
    const params = { projectId: project.id }
    const changed = await send(change, (options) =>
      client.patch('/api/projects/{projectId}', { params, body: change, ...options }),
    )
    if (!changed) return
    clearDraft()
    changeHome((home) => withProject(home, changed))
    notify(words.projects.saved(changed.name))
  }

  const discard = () => {
    clearDraft()
    setTried(false)
    forget()
  }

  return (
    <Section title={words.project.general}>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4 border-y border-line py-4">
        <fieldset
          disabled={!mayWrite}
          className={`grid gap-4 sm:grid-cols-[1fr_2fr] ${waiting ? 'opacity-60' : ''}`}
        >
          <TextField
            label={words.projects.name}
            value={name}
            onValue={(next) => setDraft({ ...draft, name: next })}
            error={tried || draft.name !== undefined ? nameProblem(name, words) : undefined}
            required
          />
          <TextField
            label={words.projects.path}
            hint={mayManage ? words.projects.pathHint : words.worktrees.folderByManagers}
            disabled={!mayManage}
            mono
            optional
            value={path}
            onValue={(next) => setDraft({ ...draft, path: next })}
            error={pathProblem(path, words)}
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
