/** Anthropic's Messages: POST /v1/messages. */
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

export const anthropic: Dialect = {
  matches: (path) => path.endsWith('/v1/messages'),
  read: (body) => ({
    ...lastTurn((body.messages ?? []).filter(({ role }: Body) => role === 'user').flatMap(itemsIn)),
    tools: (body.tools ?? [])
      .filter((tool: Body) => tool.input_schema)
      .map((tool: Body) => ({ name: tool.name, schema: tool.input_schema })),
    model: body.model,
    stream: body.stream === true,
    shape: body.output_config?.format?.schema ?? body.output_format?.schema,
  }),
  async write(sink, id, answer, { model, stream }, { input, output }) {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    }
    const stop_reason = 'call' in answer ? 'tool_use' : 'end_turn'
    const block =
      'call' in answer
        ? { type: 'tool_use', id: `toolu_${id}`, name: answer.call.name, input: answer.call.args }
        : { type: 'text', text: whole(answer) }
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model,
      stop_sequence: null,
      usage,
    }
    if (!stream) return sink.json({ ...message, content: [block], stop_reason })
    const send = (event: { type: string; [field: string]: unknown }): void =>
      sink.event(event, event.type)
    send({ type: 'message_start', message: { ...message, content: [], stop_reason: null } })
    const empty = 'call' in answer ? { ...block, input: {} } : { type: 'text', text: '' }
    send({ type: 'content_block_start', index: 0, content_block: empty })
    const delta = (fields: object): void =>
      send({ type: 'content_block_delta', index: 0, delta: fields })
    if ('call' in answer)
      delta({ type: 'input_json_delta', partial_json: JSON.stringify(answer.call.args) })
    else await inPieces(sink, answer, (text) => delta({ type: 'text_delta', text }))
    send({ type: 'content_block_stop', index: 0 })
    send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage })
    send({ type: 'message_stop' })
  },
}

function itemsIn({ content }: Body): Item[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const results = blocks.filter(({ type }: Body) => type === 'tool_result')
  if (results.length > 0) return results.map((result: Body) => ({ result: textOf(result.content) }))
  return [{ user: promptIn(blocks.filter(({ type }: Body) => type === 'text')) }]
}
