/** The event that told the end of something, if it was told: what a repeated request is answered with (RL2). */
import { endedAnswer, terminatedAnswer } from '../protocol/relay.ts'
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

export type EndOf = Exclude<Ended, { turnId: string }>

/** The same in words, for who asked for what another had asked for before: an answer under a request id of its own. */
export const findEndAnswer = defineQuery({
  name: 'find-end-answer',
  run: async (reader, ended: EndOf): Promise<ReturnType<typeof endedAnswer> | ReturnType<typeof terminatedAnswer> | null> => {
    if ('roleAgentId' in ended) {
      const row = await reader.first(selectRoleAgent, { id: ended.roleAgentId })
      return row?.terminated_seq == null ? null : terminatedAnswer(row.user_session_id, row.role, row.terminate_reason ?? '')
    }
    const row = await reader.first(selectUserSession, { id: ended.userSessionId })
    return row?.closed_seq == null ? null : endedAnswer(row.id, row.terminate_reason ?? '', row.agents_terminated)
  },
})
