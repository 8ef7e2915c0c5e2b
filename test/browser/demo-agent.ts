/** Adds an entry of the demo agent that is prompted, and assigns it to a project. */
import type { Visit } from './visit.ts'

export async function assignDemoAgent(
  elsewhere: Visit['elsewhere'],
  projectId: string,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<string> {
  await elsewhere.post('/api/agents', {
    body: { id, name, protocol: 'acp', command: 'holdfast', args: ['demo-acp'] },
  })
  await elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: id },
  })
  return id
}
