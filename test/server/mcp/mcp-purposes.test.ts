/**
 * Which tools a connection is offered (MC5): those of its purpose. The test plays the machine, and
 * each agent by its token.
 */
import { expect, test } from 'vitest'
import { started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { connectMcp, openWorkplace } from '../../support/mcp.ts'
import { readyAgent } from '../../support/relay.ts'

const ofPrompted = [
  'get_history',
  'set_summary',
  'get_flags',
  'set_flags',
  'record_approach',
  'request_approval',
  'get_approval',
]
const ofComments = ['list_comments', 'answer_comment', 'resolve_comment']
const ofChat = [...ofPrompted, ...ofComments, 'request_folder', 'send_message'].sort()
const ofWork = [
  ...ofChat,
  'get_my_task',
  'update_task',
  'save_checkpoint',
  'get_resume_context',
].sort()

test('[MC5] a prompted agent is offered no tools of those that pull; in a chat none of tasks, which are refused in words', async () => {
  const { server, machine, say } = await openAcpChat()
  await say('hi')
  const { launchId } = await machine.order('launch-begun')
  const { launchToken } = machine.particulars(launchId)
  await machine.tell(started(launchId), readyAgent(launchId))
  const { context } = await machine.turn()
  const { client } = await connectMcp(server.url, `${launchToken}.${context.contextId}`)
  const named = async (from: typeof client) =>
    (await from.listTools()).tools.map(({ name }) => name).sort()
  expect(await named(client)).toEqual(ofChat)
  expect(await client.callTool({ name: 'get_flags', arguments: {} })).toMatchObject({
    structuredContent: { flags: {} },
  })
  for (const name of ['get_my_task', 'get_next_action', 'get_agent_action'])
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: {
        code: 'missing_scope',
        message: expect.stringContaining(`The tool ${name} is not available here`),
      },
    })
  // A connection that names no context may be at a task.
  const { client: whole } = await connectMcp(server.url, launchToken)
  expect(await named(whole)).toEqual(ofWork)
})

test('[MC5] an agent that pulls has every tool, as before', async () => {
  const { agent } = await openWorkplace()
  const { tools } = await (await agent()).client.listTools()
  expect(tools).toHaveLength(25)
})
