/** The browsers that one is signed in with oneself, and signing one of the others out. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device } from '../../../src/protocol/access/people.ts'
import { client, ownDevices, queryClient, refetch } from '../live/queries.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { useWords } from '../translations/messages.tsx'

export function DeviceList() {
  const words = useWords()
  const { data, error } = useQuery(ownDevices)
  const [leaving, setLeaving] = useState<Device>()
  return (
    <Section title={words.preferences.devices.title} note={words.preferences.devices.about}>
      <ProblemNote error={error} onRetry={() => void refetch(ownDevices)} />
      {data && data.length > 0 && (
        <Rows label={words.preferences.devices.title}>
          {data.map((device) => (
            <DeviceRow key={device.id} device={device} onLeave={() => setLeaving(device)} />
          ))}
        </Rows>
      )}
      {data?.length === 0 && (
        <p className="border-y border-line py-3 text-faint">{words.preferences.devices.none}</p>
      )}
      {leaving && <SignDeviceOut device={leaving} onClose={() => setLeaving(undefined)} />}
    </Section>
  )
}

function DeviceRow({ device, onLeave }: { device: Device; onLeave: () => void }) {
  const words = useWords()
  return (
    <li className="list-row flex min-h-11 flex-wrap items-center gap-x-3 py-1.5">
      <span className="min-w-0 truncate font-medium">{device.name}</span>
      {device.isCurrent && <span className="text-quiet">{words.preferences.devices.thisOne}</span>}
      {device.address && <span className="text-sm text-faint">{device.address}</span>}
      <span className="-mr-3 ml-auto flex items-center gap-3 text-sm text-faint">
        <span>
          {words.preferences.devices.used} <Ago at={device.usedAt} />
        </span>
        {!device.isCurrent && (
          <Button
            look="quiet"
            onClick={onLeave}
            aria-label={words.preferences.devices.signOutName(device.name)}
          >
            {words.preferences.devices.signOut}
          </Button>
        )}
      </span>
    </li>
  )
}

function SignDeviceOut({ device, onClose }: { device: Device; onClose: () => void }) {
  const words = useWords()
  const params = { deviceId: device.id }
  const onDone = () => {
    queryClient.setQueryData(ownDevices.queryKey, (known) =>
      known?.filter(({ id }) => id !== device.id),
    )
    notify(words.preferences.devices.signedOut(device.name))
  }
  return (
    <ConfirmSending
      open
      onClose={onClose}
      title={words.preferences.devices.signOutTitle(device.name)}
      act={words.preferences.devices.signOut}
      content={params}
      request={(options) => client.delete('/api/devices/{deviceId}', { params, ...options })}
      onDone={onDone}
    >
      <p>{words.preferences.devices.signOutText}</p>
    </ConfirmSending>
  )
}
