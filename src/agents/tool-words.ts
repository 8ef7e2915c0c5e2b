/** The directives that use our tools, the same for both demo agents: what is called with what, and what came of it in words. */

export interface ToolUse {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export const toolFor = (step: { readonly do: 'record' | 'checkpoint'; readonly text: string }): ToolUse =>
  step.do === 'record'
    ? {
        name: 'record_approach',
        args: { kind: 'verified', category: 'demo', description: step.text || 'The demo agent was told to record' },
      }
    : { name: 'save_checkpoint', args: step.text === '' ? {} : { context_summary: step.text } }

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
