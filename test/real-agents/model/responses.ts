/** OpenAI's Responses: POST /v1/responses. */
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
import type { ModelAnswer } from './script.ts'

export const responses: Dialect = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => ({
    ...lastTurn(
      (typeof body.input === 'string'
        ? [{ role: 'user', content: body.input }]
        : (body.input ?? [])
      ).flatMap(itemsIn),
    ),
    tools: (body.tools ?? []).flatMap(toolsIn),
    model: body.model,
    stream: body.stream === true,
    shape: body.text?.format?.schema,
  }),
  async write(sink, id, answer, { model, stream }, { input, output }) {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    }
    const item: Body = itemOf(id, answer)
    const base = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 1,
      model,
      tool_choice: 'auto',
      tools: [],
    }
    const done = { ...base, status: 'completed', output: [item], usage }
    if (!stream) return sink.json(done)
    let number = 0
    const send = (type: string, fields: object): void =>
      sink.event({ type, sequence_number: number++, ...fields }, type)
    const at = { item_id: item.id, output_index: 0 }
    send('response.created', { response: { ...base, status: 'in_progress', output: [] } })
    send('response.output_item.added', {
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [], arguments: '' },
    })
    if ('pieces' in answer) {
      const part = { ...at, content_index: 0 }
      send('response.content_part.added', {
        ...part,
        part: { type: 'output_text', text: '', annotations: [] },
      })
      await inPieces(sink, answer, (delta) =>
        send('response.output_text.delta', { ...part, delta }),
      )
      send('response.output_text.done', { ...part, text: whole(answer) })
    } else if (item.type === 'function_call') {
      send('response.function_call_arguments.delta', { ...at, delta: item.arguments })
      send('response.function_call_arguments.done', { ...at, arguments: item.arguments })
    }
    send('response.output_item.done', { output_index: 0, item })
    send('response.completed', { response: done })
  },
}

function itemOf(id: string, answer: ModelAnswer): object {
  if ('pieces' in answer) {
    const content = [{ type: 'output_text', text: whole(answer), annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  const { name, args, tool } = answer.call
  const call = { call_id: `call_${id}`, status: 'completed', name }
  if (tool?.kind === 'custom')
    return { ...call, type: 'custom_tool_call', id: `ctc_${id}`, input: args['input'] }
  const space = tool?.namespace ? { namespace: tool.namespace } : {}
  return {
    ...call,
    ...space,
    type: 'function_call',
    id: `fc_${id}`,
    arguments: JSON.stringify(args),
  }
}

function toolsIn(tool: Body): Body[] {
  if (tool.type === 'namespace')
    return (tool.tools ?? []).map((each: Body) => ({
      name: each.name,
      schema: each.parameters ?? {},
      namespace: tool.name,
    }))
  if (tool.type === 'custom') return [{ name: tool.name, schema: {}, kind: 'custom' }]
  return tool.name ? [{ name: tool.name, schema: tool.parameters ?? {} }] : []
}

function itemsIn({ type = '', role, content, output }: Body): Item[] {
  if (/_call_output$/.test(type)) return [{ result: textOf(output?.content ?? output) }]
  return role === 'user' ? [{ user: promptIn(content) }] : []
}
