/** A tool call as the Agent Client Protocol has it. Paths are absolute: editors open them. Pure. */
import { isAbsolute, resolve } from 'node:path'
import type { ToolCall as AcpToolCall, ToolCallContent } from '@agentclientprotocol/sdk/unstable'
import type { ToolCall } from '../../protocol/turns/agent-update.ts'

export type ShownCall = Pick<
  AcpToolCall,
  'toolCallId' | 'title' | 'kind' | 'status' | 'content' | 'locations' | 'rawInput'
>

export function toolCallOf(call: ToolCall, folder: string | null): ShownCall {
  const { toolCallId, title, toolKind, status, locations } = call
  const input = inputOf(call)
  return {
    toolCallId,
    title,
    kind: toolKind,
    status,
    content: contentOf(call, folder),
    locations: locations.map(({ path, line }) => ({
      path: absolute(path, folder),
      ...(line !== null && { line }),
    })),
    ...(input !== undefined && { rawInput: input }),
  }
}

/** Only what is new; undefined where nothing is. */
export function toolChanges(before: ShownCall, now: ShownCall): ShownCall | undefined {
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof ShownCall]),
  )
  if (changed.length === 0) return undefined
  return {
    ...(Object.fromEntries(changed) as Partial<ShownCall>),
    toolCallId: now.toolCallId,
  } as ShownCall
}

const absolute = (path: string, folder: string | null): string =>
  isAbsolute(path) || folder === null ? path : resolve(folder, path)

function inputOf({ input }: ToolCall): unknown {
  if (input === null) return undefined
  try {
    return JSON.parse(input)
  } catch {
    // Cut, so no JSON any more.
    return input
  }
}

/** The record of a call is all it said; each piece is shown once, and not its input as text. */
function contentOf(
  { content, input, output, exitCode }: ToolCall,
  folder: string | null,
): ToolCallContent[] {
  const shown = new Map<string, ToolCallContent>()
  for (const part of content) {
    if (part.type === 'text' && part.text === input) continue
    const each = contentBlock(part, folder)
    shown.set(JSON.stringify(each), each)
  }
  const all = [...shown.values()]
  const hasText = content.some((part) => part.type === 'text' && part.text !== input)
  if (output !== undefined && output !== '' && !hasText) all.push(textBlock(fenced(output)))
  if (exitCode !== undefined && exitCode !== 0) all.push(textBlock(`Exit code ${exitCode}`))
  return all
}

function contentBlock(part: ToolCall['content'][number], folder: string | null): ToolCallContent {
  switch (part.type) {
    case 'text':
      return textBlock(part.text)
    case 'diff': {
      const { path, oldText, newText } = part
      return { type: 'diff', path: absolute(path, folder), oldText, newText }
    }
    case 'other':
      return textBlock(`[${part.name}]`)
  }
}

const textBlock = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
})

/** No output can end its fence. */
function fenced(output: string): string {
  const longest = Math.max(2, ...[...output.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${output}${output.endsWith('\n') ? '' : '\n'}${fence}`
}
