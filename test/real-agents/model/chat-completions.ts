/** OpenAI's Chat Completions, which many speak: POST /v1/chat/completions. */
import {
  type Body,
  type Dialect,
  type Item,
  inPieces,
  lastTurn,
  promptIn,
  textOf,
  whole,
} from './dialect.ts'

export const chatCompletions: Dialect = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    ...lastTurn((body.messages ?? []).flatMap(itemsIn)),
    tools: (body.tools ?? [])
      .filter((tool: Body) => tool.function)
      .map((tool: Body) => ({ name: tool.function.name, schema: tool.function.parameters })),
    model: body.model,
    stream: body.stream === true,
    shape: body.response_format?.json_schema?.schema,
  }),
  async write(sink, id, answer, { model, stream }, { input, output }) {
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    const base = { id: `chatcmpl-${id}`, created: 1, model }
    const finish = 'call' in answer ? 'tool_calls' : 'stop'
    const calls =
      'call' in answer
        ? [
            {
              id: `call_${id}`,
              type: 'function',
              function: { name: answer.call.name, arguments: JSON.stringify(answer.call.args) },
            },
          ]
        : undefined
    if (!stream) {
      const message = {
        role: 'assistant',
        content: calls ? null : whole(answer),
        ...(calls ? { tool_calls: calls } : {}),
      }
      return sink.json({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      })
    }
    const send = (delta: object, finish_reason: string | null = null, more: object = {}): void =>
      sink.event({
        ...base,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
        ...more,
      })
    send({ role: 'assistant', content: '' })
    if (calls) send({ tool_calls: calls.map((call, index) => ({ index, ...call })) })
    else if ('pieces' in answer) await inPieces(sink, answer, (content) => send({ content }))
    send({}, finish, { usage })
    sink.text('data: [DONE]\n\n')
  },
}

function itemsIn({ role, content }: Body): Item[] {
  if (role === 'user') return [{ user: promptIn(content) }]
  return role === 'tool' ? [{ result: textOf(content) }] : []
}
