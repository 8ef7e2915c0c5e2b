/** Adds a person and shows their token, once. */
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Person, PersonWithToken } from '../../../src/protocol/access/people.ts'
import { useDraft } from '../live/draft.ts'
import { client, invalidate, people } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { nameProblem } from '../parts/checks.ts'
import { Choices } from '../parts/choices.tsx'
import { InputDialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { SecretDialog } from '../parts/secret-dialog.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'

const roles = ['member', 'viewer', 'owner'] as const satisfies readonly Person['role'][]

interface PersonDraft {
  readonly name: string
  readonly role: Person['role']
}

interface CreationProps {
  readonly layout: (fields: ReactNode, submit: ReactNode) => ReactNode
  readonly onClose: () => void
}

export function PersonCreation({ layout, onClose }: CreationProps) {
  const words = useWords()
  const [draft, setDraft, clearDraft] = useDraft<PersonDraft>('new-person', {
    name: '',
    role: 'member',
  })
  const [tried, setTried] = useState(false)
  const [added, setAdded] = useState<PersonWithToken>()
  const { waiting, error, send, stop } = useSending<PersonWithToken>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (nameProblem(draft.name, words)) return
    const body = { name: draft.name.trim(), role: draft.role }
    const person = await send(body, (options) => client.post('/api/people', { body, ...options }))
    if (!person) return
    clearDraft()
    setAdded(person)
    void invalidate(people.queryKey)
  }

  if (added) {
    const secret = {
      title: words.people.tokenOnce(added.name),
      text: words.people.tokenOnceText,
      value: added.token,
    }
    return <SecretDialog secret={secret} onClose={onClose} />
  }
  const fields = (
    <>
      <TextField
        label={words.people.name}
        placeholder={words.people.nameExample}
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
        error={tried ? nameProblem(draft.name, words) : undefined}
        required
      />
      <Choices
        label={words.people.role}
        value={draft.role}
        onValue={(role) => setDraft({ ...draft, role })}
        options={roles.map((role) => ({
          value: role,
          name: words.people.roles[role],
          hint: words.people.roleHints[role],
        }))}
      />
      <ProblemNote error={error} typed />
      <SlowAnswer waiting={waiting} onStop={stop} />
    </>
  )
  return (
    <InputDialog open title={words.people.add} onClose={onClose}>
      <form onSubmit={submit} noValidate className="contents">
        {layout(fields, <SubmitButton waiting={waiting}>{words.act.add}</SubmitButton>)}
      </form>
    </InputDialog>
  )
}
