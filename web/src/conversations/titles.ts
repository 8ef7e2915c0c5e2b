/** Titles of conversations: the names of the participants where they are known, the key otherwise. */
import { useHome } from '../live/queries.ts'
import { useWords } from '../translations/messages.tsx'

export const channelOf = (key: string): string => key.slice(0, key.indexOf(':'))

export function useTitleOf(): (key: string) => { title: string; channel: string } {
  const { conversations: words } = useWords()
  const home = useHome()
  const agentName = (id: string): string => home?.agents.find((agent) => agent.id === id)?.name ?? id
  return (key) => {
    const channel = channelOf(key)
    const name = words.channelNames[channel] ?? channel
    const rest = key.slice(channel.length + 1)
    const [, projectId, agentId] = /^([^.]+)\.([^.]+)$/.exec(rest) ?? []
    if (channel === 'web' && projectId && agentId) {
      const project = home?.projects.find(({ id }) => id === projectId)?.name ?? projectId
      return { title: `${agentName(agentId)} · ${project}`, channel: name }
    }
    if (channel === 'agent') return { title: rest.split('~').map(agentName).join(' ↔ '), channel: name }
    return { title: rest, channel: name }
  }
}
