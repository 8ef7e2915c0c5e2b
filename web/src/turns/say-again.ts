/** Says once more what a prompt that failed had asked: in its session, or from its row on Now. */
import { client } from '../live/queries.ts'
import { webChatKey } from '../live/work.ts'

interface Place {
  readonly key: string
  readonly projectId: string
  readonly agentId: string
}

/** The turn knows what it was asked; its messages may be on an earlier page. */
export async function sayAgain({ key, projectId, agentId }: Place, turnId: string) {
  const { turn } = await client.get('/api/conversations/{key}/turns/{turnId}', {
    params: { key, turnId },
  })
  const content = turn.content
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n\n')
  if (key === webChatKey(projectId, agentId))
    return client.post('/api/chat', { body: { projectId, toAgentId: agentId, content } })
  return client.post('/api/conversations/{key}/messages', {
    params: { key },
    body: { role: 'user', content },
  })
}

/** Says the newest prompt of the session once more; nothing where it has none that failed. */
export async function sayNewestAgain(place: Place): Promise<boolean> {
  const { items } = await client.get('/api/conversations/{key}/turns', {
    params: { key: place.key },
    query: { limit: 1 },
  })
  const [newest] = items
  if (newest?.state !== 'failed' && newest?.state !== 'unknown') return false
  await sayAgain(place, newest.id)
  return true
}
