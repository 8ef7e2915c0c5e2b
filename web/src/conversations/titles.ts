/**
 * Titles of conversations: the names of the participants where they are known, the key otherwise.
 */
import type { Conversation } from '../../../src/protocol/conversations/conversation.ts'
import { useHome } from '../live/queries.ts'
import { oneLine } from '../shell/listed-views.ts'
import { useWords } from '../translations/messages.tsx'

const channelOf = (key: string): string => key.slice(0, key.indexOf(':'))

export function useTitleOf(): (key: string) => { title: string; channel: string } {
  const { conversations: words } = useWords()
  const home = useHome()
  const agentName = (id: string): string =>
    home?.agents.find((agent) => agent.id === id)?.name ?? id
  return (key) => {
    const channel = channelOf(key)
    const name = words.channelNames[channel] ?? channel
    const rest = key.slice(channel.length + 1)
    const [, projectId, agentId] = /^([^.]+)\.([^.]+)$/.exec(rest) ?? []
    if (channel === 'web' && projectId && agentId) {
      const project = home?.projects.find(({ id }) => id === projectId)?.name ?? projectId
      return { title: `${agentName(agentId)} · ${project}`, channel: name }
    }
    if (channel === 'agent')
      return { title: rest.split('~').map(agentName).join(' ↔ '), channel: name }
    return { title: rest, channel: name }
  }
}

type Named = Pick<Conversation, 'key'> &
  Partial<Pick<Conversation, 'title' | 'opening' | 'forkedFrom'>>

/**
 * What a session is called: its title, else what it began with, else its participants; a fork is
 * marked as one.
 */
export function useNameOf(): (about: Named) => string {
  const { files: words } = useWords()
  const titleOf = useTitleOf()
  return ({ key, title, opening, forkedFrom }) => {
    const name = title ?? (opening ? oneLine(opening) : titleOf(key).title)
    return forkedFrom ? words.forkName(name) : name
  }
}
