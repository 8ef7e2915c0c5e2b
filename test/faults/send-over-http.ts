/** The load over HTTP: the product's own client, with the attempt's id as its idempotency key. */
import { type Client, ProblemError } from '../../src/client/client.ts'
import type { Answer, Attempt } from './ledger.ts'
import type { Send } from './load.ts'

/** Refused or unreachable, as the load knows it. */
class SendFailure extends Error {
  readonly code: string
  constructor(code: string, cause: unknown) {
    super(code, { cause })
    this.code = code
  }
}

export function sendOverHttp(client: () => Client, timeoutMs?: number): Send {
  return async (attempt) => {
    try {
      return ((await request(client(), attempt, timeoutMs)) as Answer | undefined) ?? null
    } catch (error) {
      throw new SendFailure(
        error instanceof ProblemError ? error.problem.code : 'unreachable',
        error,
      )
    }
  }
}

function request(
  client: Client,
  { id, useCase, input, keyed }: Attempt,
  timeoutMs: number | undefined,
): Promise<unknown> {
  // Not tried again here: what has no answer is sent again by the load, when it has a key.
  const options = {
    retries: 0,
    ...(keyed && { idempotencyKey: id }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  // A path must lead to a folder, of which the load makes none.
  const {
    projectId = '',
    agentId = '',
    path: _,
    ...body
  } = input as { projectId?: string; agentId?: string; path?: string; name: string }
  switch (useCase) {
    case 'create-project':
      return client.post('/api/projects', { ...options, body })
    case 'change-project':
      return client.patch('/api/projects/{projectId}', { ...options, params: { projectId }, body })
    case 'delete-project':
      return client.delete('/api/projects/{projectId}', { ...options, params: { projectId } })
    case 'create-agent':
      return client.post('/api/agents', { ...options, body: { protocol: 'acp', ...body } })
    case 'assign-agent':
      return client.put('/api/projects/{projectId}/agents/{agentId}', {
        ...options,
        params: { projectId, agentId },
      })
    case 'unassign-agent':
      return client.delete('/api/projects/{projectId}/agents/{agentId}', {
        ...options,
        params: { projectId, agentId },
      })
    case 'add-person':
      return client.post('/api/people', { ...options, body: { role: 'member', ...body } })
    case 'refuse-after-writing':
    case 'fault-after-writing':
      throw new Error(`There is no route for ${useCase}`)
  }
}
