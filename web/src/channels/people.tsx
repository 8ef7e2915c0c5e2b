/** The people who are paired on a channel, to be signed out. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Channel, ChannelPerson } from '../../../src/protocol/channels/channel.ts'
import { peopleOf, refreshChannels } from '../live/channels.ts'
import { client } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { useChannelWords } from './words.ts'

interface PeopleProps {
  readonly channel: Channel['channel']
  readonly mayManage: boolean
}

export function People({ channel, mayManage }: PeopleProps) {
  const words = useChannelWords()
  const { data } = useQuery(peopleOf(channel))
  if (!data) return null
  return (
    <Section title={words.people} note={words.peopleNote}>
      {data.length === 0 ? (
        <p className="border-y border-line py-3 text-faint">{words.nobodyPaired}</p>
      ) : (
        <Rows label={words.people}>
          {data.map((person) => (
            <li
              key={person.userId}
              className="list-row flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 py-2"
            >
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <span className="font-medium">{person.name}</span>{' '}
                <span className="text-sm text-quiet">{words.isPerson(person.personId)}</span>
              </span>
              {mayManage && <SignOut person={person} />}
            </li>
          ))}
        </Rows>
      )}
    </Section>
  )
}

function SignOut({ person }: { person: ChannelPerson }) {
  const words = useChannelWords()
  const [asking, setAsking] = useState(false)
  const { channel, userId, name } = person
  const path = '/api/channels/{channel}/people/{userId}'
  return (
    <>
      <Button look="quiet" aria-label={words.signOutName(name)} onClick={() => setAsking(true)}>
        {words.signOut}
      </Button>
      <ConfirmSending
        title={words.signOutTitle(name)}
        act={words.signOut}
        open={asking}
        onClose={() => setAsking(false)}
        content={{ channel, userId }}
        request={(options) => client.delete(path, { params: { channel, userId }, ...options })}
        onDone={() => {
          notify(words.signedOut(name))
          return refreshChannels()
        }}
      >
        <p>{words.signOutText}</p>
      </ConfirmSending>
    </>
  )
}
