/** What a person can do in a session, over HTTP. */
import { useMemo } from 'react'
import { client } from '../../live/queries.ts'
import { configureChat } from '../../live/turns.ts'
import type { PaneActions } from '../../turns/pane-actions.ts'
import { sayAgain } from '../../turns/say-again.ts'

const decide = '/api/projects/{projectId}/approvals/{approvalId}/decision'
const goOnPath = '/api/conversations/{key}/go-on'

interface ChatActions {
  readonly key: string
  readonly mayWrite: boolean
  /** Opens the choice of the agent that goes on. */
  readonly choose: ((isOpen: boolean) => void) | undefined
  readonly agents: PaneActions['agents'] | undefined
}

export function useChatActions(
  projectId: string,
  agentId: string,
  { key, mayWrite, choose, agents }: ChatActions,
): PaneActions {
  return useMemo(
    () => ({
      agentId,
      projectId,
      conversationKey: key,
      mayWrite,
      answer: (approvalId, { kind, optionId }, always, isQuestion) => {
        const status =
          isQuestion || kind.startsWith('allow') ? ('approved' as const) : ('rejected' as const)
        const body = { status, ...(isQuestion && { optionId }), ...(always && { always }) }
        return client.post(decide, { params: { projectId, approvalId: String(approvalId) }, body })
      },
      decline: (approvalId) =>
        client.post(decide, {
          params: { projectId, approvalId: String(approvalId) },
          body: { status: 'rejected' },
        }),
      retry: ({ id }) => sayAgain({ key, projectId, agentId }, id),
      goOn: (goOn) => client.post(goOnPath, { params: { key }, body: { goOn } }),
      stop: () => client.post('/api/conversations/{key}/stop', { params: { key } }),
      withdraw: (seq) =>
        client.post('/api/conversations/{key}/messages/{seq}/withdraw', { params: { key, seq } }),
      move: (seq, to) => {
        const body = to === 'now' ? { now: true } : { before: to.before && Number(to.before) }
        return client.post('/api/conversations/{key}/messages/{seq}/move', {
          params: { key, seq },
          body: body as never,
        })
      },
      configure: (change) => configureChat(key, change),
      ...(agents && { agents }),
      ...(choose && { continueWith: () => choose(true) }),
    }),
    [projectId, agentId, key, mayWrite, choose, agents],
  )
}
