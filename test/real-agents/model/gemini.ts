/** Google's Gemini: POST /v1beta/models/NAME:generateContent, or :streamGenerateContent. */
import {
  type Body,
  type Dialect,
  type Item,
  inPieces,
  lastTurn,
  promptIn,
  whole,
} from './dialect.ts'

export const gemini: Dialect = {
  matches: (path) => /:(streamG|g)enerateContent$/.test(path),
  read: (body, path) => ({
    ...lastTurn(
      (body.contents ?? []).filter(({ role }: Body) => role !== 'model').flatMap(itemsIn),
    ),
    tools: (body.tools ?? [])
      .flatMap((tool: Body) => tool.functionDeclarations ?? [])
      .map((tool: Body) => ({
        name: tool.name,
        schema: tool.parametersJsonSchema ?? tool.parameters ?? {},
      })),
    model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    stream: path.endsWith(':streamGenerateContent'),
    shape: body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema,
  }),
  async write(sink, id, answer, { model, stream }, { input, output }) {
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    }
    const chunk = (part: object, finishReason?: string): object => ({
      responseId: id,
      modelVersion: model,
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [part] },
          ...(finishReason ? { finishReason } : {}),
        },
      ],
      usageMetadata,
    })
    if ('call' in answer) {
      const one = chunk(
        { functionCall: { id: `call_${id}`, name: answer.call.name, args: answer.call.args } },
        'STOP',
      )
      return stream ? sink.event(one) : sink.json(one)
    }
    if (!stream) return sink.json(chunk({ text: whole(answer) }, 'STOP'))
    await inPieces(sink, answer, (text, isLast) =>
      sink.event(chunk({ text }, isLast ? 'STOP' : undefined)),
    )
  },
}

function itemsIn({ parts = [] }: Body): Item[] {
  const results = parts
    .filter((part: Body) => part.functionResponse)
    .map(({ functionResponse: { response } }: Body) => ({
      result: JSON.stringify(response?.output ?? response ?? {}),
    }))
  return [...results, { user: promptIn(parts.filter((part: Body) => part.text)) }]
}
