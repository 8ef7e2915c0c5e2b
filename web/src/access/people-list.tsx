/** The people, and removing one: everything of theirs stops working at once, so it asks. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Person } from '../../../src/protocol/access/people.ts'
import { client, people, queryClient, refetch, useMe } from '../live/queries.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'

/** The one who came with the installation; cannot be removed. */
const installationOwner = 'owner'

export function PeopleList({ mayManage }: { mayManage: boolean }) {
  const words = useWords()
  const me = useMe()
  const { data, error } = useQuery(people)
  const [removing, setRemoving] = useState<Person>()
  return (
    <Section
      title={words.people.people}
      note={data?.length}
      actions={
        mayManage && (
          <Link to="." search={{ new: 'person' }} className={buttonClass()}>
            <PlusIcon />
            {words.people.add}
          </Link>
        )
      }
    >
      <ProblemNote error={error} onRetry={() => void refetch(people)} />
      {!data && !error && (
        <Waiting what={words.things.people} onRetry={() => void refetch(people)} />
      )}
      {data && (
        <Rows label={words.people.people}>
          {data.map((person) => (
            <li
              key={person.id}
              className="list-row flex min-h-11 flex-wrap items-center gap-x-3 py-1.5"
            >
              <span className="min-w-0 truncate font-medium">{person.name}</span>
              {person.id === me?.id && (
                <span className="rounded bg-hover px-1.5 text-xs text-quiet">
                  {words.people.you}
                </span>
              )}
              <span className="text-quiet">{words.people.roles[person.role]}</span>
              <span className="-mr-3 ml-auto grid grid-cols-[auto_minmax(5rem,auto)] items-center justify-items-end gap-2">
                <Ago at={person.createdAt} className="text-sm text-faint" />
                {mayManage && person.id !== installationOwner && person.id !== me?.id && (
                  <Button
                    look="quiet"
                    aria-label={words.people.removeName(person.name)}
                    onClick={() => setRemoving(person)}
                  >
                    {words.act.remove}
                  </Button>
                )}
              </span>
            </li>
          ))}
        </Rows>
      )}
      {removing && <RemovePerson person={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  )
}

function RemovePerson({ person, onClose }: { person: Person; onClose: () => void }) {
  const words = useWords()
  const params = { personId: person.id }
  const onDone = () => {
    queryClient.setQueryData(people.queryKey, (all) => all?.filter((each) => each.id !== person.id))
    notify(words.people.removed(person.name))
  }
  return (
    <ConfirmSending
      open
      onClose={onClose}
      title={words.people.removeTitle(person.name)}
      act={words.act.remove}
      content={params}
      request={(options) => client.delete('/api/people/{personId}', { params, ...options })}
      onDone={onDone}
    >
      <p>{words.people.removeText}</p>
    </ConfirmSending>
  )
}
