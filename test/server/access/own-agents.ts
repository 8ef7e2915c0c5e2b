/** What people's own agents get of what is another's, over MCP (MC6, SE28). */
import { listedTools } from '../../../src/doors/mcp/tool-list.ts'
import { connectMcp } from '../../support/mcp.ts'
import type { openOthersConsole } from '../../support/others-console.ts'
import { toolsOfPeople } from './classes.ts'

export type Scene = Awaited<ReturnType<typeof openOthersConsole>>

/** What must not be told to others. */
export const leaks = (
  { word, userSessionId, forkKey, worktreeId }: Scene,
  text: string,
): string[] =>
  [word, userSessionId, forkKey, worktreeId].filter(
    (secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)),
  )

/** The tools of people's own agents: person × what is Ann's × tool. */
export async function throughOwnAgents(scene: Scene): Promise<string[]> {
  const wrong: string[] = []
  const about = (key: string, approvalId: number) => ({
    ['session']: key,
    query: scene.word,
    prompt: 'hi',
    seconds: 0,
    approval_id: approvalId,
    decision: 'approved',
    project_id: scene.projectId,
  })
  const ways = [about(scene.key, scene.approvalId), about(scene.forkKey, scene.questionId)]
  const call = async (token: string, name: string, values: object) => {
    const { client } = await connectMcp(scene.server.url, token)
    const tool = listedTools().find((each) => each.name === name)
    const known = Object.entries(values).filter(([argument]) =>
      Object.hasOwn(tool?.inputSchema['properties'] as object, argument),
    )
    const answer = await client.callTool({ name, arguments: Object.fromEntries(known) })
    return { isError: answer.isError, text: JSON.stringify(answer.structuredContent) }
  }
  for (const { name: who, token } of scene.others)
    for (const { name, isOnes } of toolsOfPeople)
      for (const values of ways) {
        const { isError, text } = await call(token, name, values)
        const isRefused = isError && /"code":"(not_found|missing_scope)"/.test(text)
        if (isOnes && !isRefused) wrong.push(`${who}: ${name} ${text}`)
        // A reader's own words come back.
        for (const secret of isError ? [] : leaks(scene, text))
          wrong.push(`${who}: ${name} tells ${secret}`)
      }
  // Ann herself is told it.
  for (const name of ['list_sessions', 'search_sessions', 'read_session', 'wait_for_session']) {
    const { text } = await call(scene.ann.token, name, about(scene.key, scene.approvalId))
    if (leaks(scene, text).length === 0) wrong.push(`Ann: ${name} does not show it: ${text}`)
  }
  return wrong
}
