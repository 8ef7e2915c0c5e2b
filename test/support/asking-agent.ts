/**
 * An agent that asks before it writes, fails when it is told `fail`, and dies when it is told
 * `crash`.
 */
import { hostile } from './hostile-agent.ts'

export const askingAgent = () =>
  hostile({
    atStart: `act['session/prompt'] = async ({ id, params: { sessionId, prompt } }) => {
      const words = prompt.at(-1).text
      if (words.startsWith('fail')) return send({ id, error: { code: -32603, message: 'no such model' } })
      if (words.startsWith('crash')) process.exit(3)
      const toolCall = { toolCallId: 't1', title: 'write a.txt', kind: 'edit', rawInput: { path: 'a.txt' } }
      update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' }, sessionId)
      await ask('session/request_permission', { sessionId, toolCall,
        options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }, { optionId: 'n', name: 'No', kind: 'reject_once' }] })
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' }, sessionId)
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'done' } }, sessionId)
      send({ id, result: { stopReason: 'end_turn' } })
    }`,
  })
