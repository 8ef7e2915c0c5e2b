/** The directives that use our tools, the same for both demo agents: what is called with what, and what came of it in words. */
import type { Step } from './directives.ts'

export interface ToolUse {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

type ToolStep = Extract<Step, { do: 'record' | 'checkpoint' | 'tell' }>

export function toolFor(step: ToolStep): ToolUse {
  if (step.do === 'tell') return { name: 'send_message', args: { to_agent_id: step.agentId, content: step.text } }
  if (step.do === 'checkpoint') return { name: 'save_checkpoint', args: step.text === '' ? {} : { context_summary: step.text } }
  const description = step.text || 'The demo agent was told to record'
  return { name: 'record_approach', args: { kind: 'verified', category: 'demo', description } }
}

/** A refusal is an answer too. */
export async function toolInWords({ name }: ToolUse, call: () => Promise<unknown>, signal: AbortSignal): Promise<string> {
  try {
    await call()
    return `${name}: done`
  } catch (error) {
    if (signal.aborted) throw error
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}
