/** The number of the event that told the end of something, if it was told: what a repeated request is answered with (RL2). */
import { selectRoleAgent } from '../store/queries/role-agents.ts'
import { selectTurn } from '../store/queries/turns.ts'
import { selectUserSession } from '../store/queries/user-sessions.ts'
import { defineQuery } from '../store/store.ts'

type Ended = { readonly turnId: string } | { readonly roleAgentId: string } | { readonly userSessionId: string }

export const findToldEnd = defineQuery({
  name: 'find-told-end',
  run: async (reader, ended: Ended): Promise<number | null> => {
    if ('turnId' in ended) return (await reader.first(selectTurn, { id: ended.turnId }))?.ended_seq ?? null
    if ('roleAgentId' in ended) return (await reader.first(selectRoleAgent, { id: ended.roleAgentId }))?.terminated_seq ?? null
    return (await reader.first(selectUserSession, { id: ended.userSessionId }))?.closed_seq ?? null
  },
})
