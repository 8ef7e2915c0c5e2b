/** Gives a conversation another title; left empty, it has its agent's or its first prompt again. */
import { type FormEvent, useState } from 'react'
import { client, invalidate } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { SubmitButton } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'
import { useRequest } from './use-request.ts'

const longest = 200

interface TitleFormProps {
  readonly conversationKey: string
  readonly title: string | null
  /** What stands for the title while it has none. */
  readonly shown: string
}

export function TitleForm({ conversationKey: key, title, shown }: TitleFormProps) {
  const { console: words, act } = useWords()
  const [text, setText] = useState(title ?? '')
  const { send, waiting, error } = useRequest()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const body = { title: text.trim() || null }
    if (!(await send(() => client.patch('/api/conversations/{key}', { params: { key }, body }))))
      return
    void invalidate(['conversation', key])
    refreshRecent()
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex max-w-xl items-center gap-2">
      <label className="flex min-w-0 flex-1 items-center gap-2 text-quiet">
        {words.name}
        <input
          value={text}
          placeholder={shown}
          maxLength={longest}
          onChange={(event) => setText(event.target.value)}
          className={`${inputClass} py-1!`}
        />
      </label>
      <SubmitButton look="plain" waiting={waiting}>
        {act.save}
      </SubmitButton>
      <ProblemNote error={error} />
    </form>
  )
}
