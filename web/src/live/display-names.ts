/** Display names of people and agents; an unknown one is shown by its id. */
import { useQuery } from '@tanstack/react-query'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { useWords } from '../translations/messages.tsx'
import { people, useHome, useMe } from './queries.ts'

export function useDisplayName(): (id: string) => string {
  const home = useHome()
  const me = useMe()
  const known = useQuery(people).data
  return (id) =>
    (me?.id === id ? me.name : undefined) ??
    home?.agents.find((agent) => agent.id === id)?.name ??
    known?.find((person) => person.id === id)?.name ??
    id
}

/** Names the decider of an approval: a person, or a rule that a person has made (AP4). */
export function useDecider(): (decidedBy: string) => string {
  const { allowances: words } = useWords()
  const nameOf = useDisplayName()
  return (decidedBy) => {
    const [, policy, giver] = /^policy (\w+)(?: by (.+))?$/.exec(decidedBy) ?? []
    if (giver !== undefined) return words.byAlways(nameOf(giver))
    return policy === undefined ? nameOf(decidedBy) : words.byPolicy(policy)
  }
}

/** Names an agent and a project. */
export function useAgentAndProject({ agentId, projectId }: { agentId: string; projectId: string }) {
  const home = useHome()
  return {
    agent: home?.agents.find(({ id }) => id === agentId)?.name ?? agentId,
    project: home?.projects.find(({ id }) => id === projectId)?.name ?? projectId,
  }
}

/**
 * Names who said a message (CV14): a person, an agent, a name on a channel, or the role of what was
 * put in for somebody else.
 */
export function useSenderName(): (message: Pick<Message, 'senderId' | 'senderName'>) => string {
  const nameOf = useDisplayName()
  const { chat } = useWords()
  return ({ senderId, senderName }) => {
    if (senderName === undefined) return nameOf(senderId)
    const [, role, name = ''] = /^(user|assistant|system|tool)(?: (.+))?$/.exec(senderName) ?? []
    return role === undefined
      ? senderName
      : [chat.roles[role as keyof typeof chat.roles], name].filter(Boolean).join(' ')
  }
}
