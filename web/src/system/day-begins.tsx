/**
 * The hour at which a new day of conversation begins (DC1): on System to read and change, on Now
 * once, until it was chosen.
 */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Cutover } from '../../../src/protocol/conversations/cutover.ts'
import { client, invalidate, useMay } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button } from '../parts/button.tsx'
import { Empty, Fact } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

const cutover = queryOptions<Cutover>({
  queryKey: ['cutover'],
  queryFn: ({ signal }) => client.get('/api/cutover', { signal }),
})

const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const hourIn = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

function useChange() {
  const { waiting, error, send } = useSending<Cutover>()
  const change = async (body: { hour?: number | 'off'; timezone?: string }) => {
    if (await send(body, (options) => client.put('/api/cutover', { body, ...options })))
      await invalidate(cutover.queryKey)
  }
  return { waiting, error, change }
}

/** A fact of the server, with what the owner may make of it. */
export function DayBegins() {
  const { days } = useWords().continuity
  const { data } = useQuery(cutover)
  const mayManage = useMay('manage')
  const { waiting, error, change } = useChange()
  if (!data) return null
  const { hour, timezone, source } = data
  return (
    <Fact name={days.begins}>
      <span className="flex flex-wrap items-center gap-2">
        {hour === 'off' ? days.off : days.at(hourIn(hour), timezone)}
        {source === 'configuration' && <span className="text-quiet">{days.configured}</span>}
        {mayManage && source !== 'configuration' && (
          <>
            {timezone !== zoneHere() && (
              <Button disabled={waiting} onClick={() => void change({ timezone: zoneHere() })}>
                {days.takeZone(zoneHere())}
              </Button>
            )}
            <Button
              look="quiet"
              disabled={waiting}
              onClick={() => void change({ hour: hour === 'off' ? 4 : 'off' })}
            >
              {hour === 'off' ? days.turnOn : days.turnOff}
            </Button>
          </>
        )}
      </span>
      <ProblemNote error={error} />
    </Fact>
  )
}

/** Said at the first visit from another zone, with one click to change it. */
export function FirstDay() {
  const { days } = useWords().continuity
  const { data } = useQuery(cutover)
  const mayManage = useMay('manage')
  const { waiting, error, change } = useChange()
  if (!mayManage || data?.source !== 'usual' || data.hour === 'off' || data.timezone === zoneHere())
    return null
  const { hour, timezone } = data
  return (
    <Empty title={days.at(hourIn(hour), timezone)}>
      <p className="max-w-prose text-quiet">{days.text}</p>
      <ProblemNote error={error} />
      <span className="flex flex-wrap gap-2">
        <Button
          look="primary"
          disabled={waiting}
          onClick={() => void change({ timezone: zoneHere() })}
        >
          {days.takeZone(zoneHere())}
        </Button>
        <Button disabled={waiting} onClick={() => void change({ hour, timezone })}>
          {days.keep}
        </Button>
      </span>
    </Empty>
  )
}
