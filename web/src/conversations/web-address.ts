/**
 * The project and the agent of a chat of the page, out of its key; undefined for every other
 * conversation.
 */
export function parseWebAddress(key: string): { projectId: string; agentId: string } | undefined {
  const [, projectId, agentId] = /^web:([^.]+)\.([^.]+)$/.exec(key) ?? []
  return projectId && agentId ? { projectId, agentId } : undefined
}
