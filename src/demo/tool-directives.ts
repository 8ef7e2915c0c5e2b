/** Directives that use our tools, shared by both demo agents: the call to make, and its result in words. */
import type { Directive } from './directives.ts'

export interface ToolUse {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

type ToolStep = Extract<Directive, { do: 'record' | 'checkpoint' | 'tell' }>

export function toolFor(step: ToolStep): ToolUse {
  if (step.do === 'tell') return { name: 'send_message', args: { to_agent_id: step.agentId, content: step.text } }
  if (step.do === 'checkpoint') return { name: 'save_checkpoint', args: step.text === '' ? {} : { context_summary: step.text } }
  const description = step.text || 'The demo agent was told to record'
  return { name: 'record_approach', args: { kind: 'verified', category: 'demo', description } }
}

/** Describes a refusal like any other answer. */
export async function toolInWords({ name }: ToolUse, call: () => Promise<unknown>, signal: AbortSignal): Promise<string> {
  try {
    await call()
    return `${name}: done`
  } catch (error) {
    if (signal.aborted) throw error
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}
