/**
 * WT5: what makes a fresh worktree of the project runnable; for owners, since it is run on the
 * agents' machine.
 */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { SetUp } from '../../../src/protocol/worktrees/worktree.ts'
import { client } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { TextAreaField } from '../parts/field.tsx'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

const path = '/api/projects/{projectId}/set-up'

export function SetUpSettings({ projectId }: { projectId: string }) {
  const { worktrees: words } = useWords()
  const params = { projectId }
  const found = useQuery<SetUp>({
    queryKey: ['set-up', projectId],
    queryFn: () => client.get(path, { params }),
    staleTime: 0,
  })
  return (
    <Section title={words.setUpTitle}>
      <p className="text-sm text-quiet">{words.setUpText}</p>
      <ProblemNote error={found.error} onRetry={() => void found.refetch()} />
      {found.data && (
        <SetUpForm
          key={JSON.stringify(found.data)}
          projectId={projectId}
          setUp={found.data}
          onSaved={found.refetch}
        />
      )}
    </Section>
  )
}

const linesOf = (text: string): string[] => text.split('\n').filter((each) => each.trim() !== '')

function SetUpForm({
  projectId,
  setUp,
  onSaved,
}: {
  projectId: string
  setUp: SetUp
  onSaved: () => Promise<unknown>
}) {
  const words = useWords()
  const kept = { command: (setUp.command ?? []).join('\n'), copy: setUp.copy.join('\n') }
  const [command, setCommand] = useState(kept.command)
  const [copy, setCopy] = useState(kept.copy)
  const changed = command !== kept.command || copy !== kept.copy
  const [state, setState] = useState<{ waiting: boolean; error?: unknown }>({ waiting: false })
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setState({ waiting: true })
    const argv = linesOf(command)
    const body = {
      command: argv.length === 0 ? null : argv,
      copy: linesOf(copy).map((each) => each.trim()),
    }
    try {
      await client.put(path, { params: { projectId }, body })
      notify(words.worktrees.setUpSaved)
      setState({ waiting: false })
      await onSaved()
    } catch (error) {
      setState({ waiting: false, error })
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex max-w-xl flex-col gap-4">
      <TextAreaField
        label={words.worktrees.setUpCommand}
        hint={words.worktrees.setUpCommandHint}
        value={command}
        onValue={setCommand}
        rows={3}
      />
      <TextAreaField
        label={words.worktrees.setUpCopy}
        hint={words.worktrees.setUpCopyHint}
        value={copy}
        onValue={setCopy}
        rows={2}
      />
      <ProblemNote error={state.error} typed />
      {changed && (
        <SubmitButton waiting={state.waiting} className="self-start">
          {words.act.save}
        </SubmitButton>
      )}
    </form>
  )
}
