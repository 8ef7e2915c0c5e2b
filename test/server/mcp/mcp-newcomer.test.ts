/**
 * A client that has never seen us (MC3): it knows the protocol, its own ids, and how to follow a
 * sentence that names tools. No name of a tool, argument or action of ours stands in its loop.
 */
import type { Tool } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { type McpAgent, openWorkplace, type ToolResult } from '../../support/mcp.ts'

interface Newcomer {
  readonly agent: McpAgent
  readonly tools: readonly Tool[]
  /** What it was given when it was started. */
  readonly given: Readonly<Record<string, unknown>>
  /** Everything it did. */
  readonly called: string[]
}

/** The tools that a text tells to call, in its order. */
const toolsNamed = (text: string, tools: readonly Tool[]): Tool[] =>
  [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b|\bauthenticate\b/g)].flatMap(
    ([word]) => tools.find(({ name }) => name === word) ?? [],
  )

/**
 * The arguments that a text spells out (`name: 5`), those it was given, and words of its own where
 * words are wanted.
 */
function argumentsFor(
  { inputSchema }: Tool,
  text: string,
  given: Newcomer['given'],
  words: string,
): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const name of Object.keys(inputSchema.properties ?? {})) {
    const spelled = new RegExp(`\\b${name}: (\\d+)`).exec(text)?.[1]
    if (spelled !== undefined) args[name] = Number(spelled)
    else if (name in given) args[name] = given[name]
    else if (inputSchema.required?.includes(name)) args[name] = words
  }
  return args
}

/** Does what a text says, and gives the last thing it was told. */
async function follow(
  { agent, tools, given, called }: Newcomer,
  text: string,
  heard: ToolResult,
): Promise<ToolResult> {
  let received = heard
  for (const tool of toolsNamed(text, tools)) {
    // Words come from what was heard before: a model would do better.
    const words = `You said: ${(received.messages ?? []).map(({ content }: { content: string }) => content).join(', ')}`
    called.push(tool.name)
    received = await agent.call(tool.name, argumentsFor(tool, text, given, words))
    // A tool is told of again where it is the next step.
    if (received.instruction) return received
  }
  return received
}

test('[MC3] a client that knows only the instructions holds a chat', async () => {
  const { agent, write, chat, projectId, post } = await openWorkplace()
  await write('How are you?')
  const ann = await agent()
  const { tools } = await ann.client.listTools()
  const newcomer: Newcomer = {
    agent: ann,
    tools,
    given: { agent_id: 'ann', project_id: projectId },
    called: [],
  }

  const [begin = ''] = ann.client.getInstructions()?.split('\n2.') ?? []
  let received = await follow(newcomer, begin, {})
  const answered: string[] = []
  const remarks = ['And the weather?', undefined]
  while (!/exit now/i.test(received.instruction)) {
    const following = follow(newcomer, received.instruction, received)
    const said = (await chat()).filter(({ senderId }) => senderId === 'ann').length
    if (said > answered.length) {
      answered.push('answered')
      const remark = remarks.shift()
      if (remark) await write(remark)
      else await post(`/api/projects/${projectId}/agents/ann/chat/end`, undefined)
    }
    received = await following
  }
  expect((await chat()).map(({ senderId, content }) => `${senderId}: ${content}`)).toEqual([
    'owner: How are you?',
    'ann: You said: How are you?',
    'owner: And the weather?',
    'ann: You said: And the weather?',
  ])
  expect(newcomer.called.slice(0, 5)).toEqual([
    'authenticate',
    'get_next_action',
    'get_pending_messages',
    'respond_chat',
    'get_next_action',
  ])
  expect(received).toMatchObject({ action: 'exit', reason: 'session_closed' })
})
