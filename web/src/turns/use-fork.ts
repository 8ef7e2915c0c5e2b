/** Forks a conversation from a turn (FS9) and goes to the new one. */
import { useNavigate } from '@tanstack/react-router'
import { client } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { useRequest } from './use-request.ts'

export function useFork(key: string, projectId: string) {
  const navigate = useNavigate()
  const { waiting, error, send } = useRequest()
  const from = (turnId: string, agentId?: string) =>
    void send(async () => {
      const body = agentId === undefined ? {} : { agentId }
      const made = await client.post('/api/conversations/{key}/turns/{turnId}/fork', {
        params: { key, turnId },
        body,
      })
      refreshRecent()
      await navigate({
        to: '/projects/$projectId/session/$key',
        params: { projectId, key: made.conversation },
      })
    })
  return { waiting, error, from }
}
