/** A choice of the agent and project that answer: one list of all pairs. */
import { useState } from 'react'
import type { ChannelRoute } from '../../../src/protocol/channels/channel.ts'
import { useHome } from '../live/queries.ts'
import { inputClass } from '../parts/field.tsx'
import { notify } from '../parts/notices.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

interface RouteChoiceProps {
  readonly label: string
  readonly route: ChannelRoute | null
  /** The text of the empty choice. */
  readonly none: string
  readonly disabled: boolean
  readonly onRoute: (route: ChannelRoute | null) => Promise<void>
}

const keyOf = (route: ChannelRoute | null): string =>
  route ? `${route.projectId} ${route.agentId}` : ''

export function RouteChoice({ label, route, none, disabled, onRoute }: RouteChoiceProps) {
  const words = useWords()
  const home = useHome()
  const [busy, setBusy] = useState(false)
  const pairs = (home?.projects ?? []).flatMap(({ id, name, agentIds }) =>
    agentIds.map((agentId) => ({
      value: keyOf({ projectId: id, agentId }),
      name: `${name} · ${home?.agents.find((agent) => agent.id === agentId)?.name ?? agentId}`,
    })),
  )
  const current = keyOf(route)
  const isGone = current !== '' && !pairs.some(({ value }) => value === current)
  const choose = async (value: string) => {
    const [projectId, agentId] = value.split(' ')
    setBusy(true)
    try {
      await onRoute(projectId && agentId ? { projectId, agentId } : null)
    } catch (error) {
      notify(describeProblem(error, words).title)
    } finally {
      setBusy(false)
    }
  }
  return (
    <select
      aria-label={label}
      value={current}
      disabled={disabled || busy}
      onChange={(event) => void choose(event.target.value)}
      className={`${inputClass} max-w-72`}
    >
      <option value="">{none}</option>
      {isGone && <option value={current}>{route?.agentId}</option>}
      {pairs.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}
