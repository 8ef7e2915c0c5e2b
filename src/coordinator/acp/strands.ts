/**
 * Finds the sub-agents of a turn in what agents send of themselves, without a word from us: a call
 * that is a sub-agent (claude, codex), or a child session whose updates come in its parent's
 * (opencode 2). A sub-agent is a strand of the turn; everything else in an update may name its own.
 */
import { type Fields, fieldsOf } from '../../platform/json.ts'
import type { AgentUpdate, Strand, ToolCall } from '../../protocol/turns/agent-update.ts'
import { maxStrands } from './limits.ts'
import { lineOf } from './wire.ts'

/** Names of the tool by which claude begins a sub-agent. */
const claudeTools: ReadonlySet<string | undefined> = new Set(['Task', 'Agent'])

const stateOfCall = {
  pending: 'running',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
} as const

export class Strands {
  readonly #strands = new Map<string, Strand>()

  /** The strand that an update is of, and the strands that it changes. */
  apply(
    sent: Fields,
    update: AgentUpdate,
  ): { readonly update: AgentUpdate; readonly changed: readonly Strand[] } {
    const meta = fieldsOf(sent['_meta'])
    const child = childIn(meta)
    const changed = [
      ...(child ? [this.#put(child)] : []),
      ...(update.kind === 'tool' ? [this.#ofCall(update.call, sent)] : []),
    ].filter((strand) => strand !== undefined)
    const id = child?.id
    if (id === undefined || !this.#strands.has(id)) return { update, changed }
    if (update.kind === 'tool')
      return { update: { ...update, call: { ...update.call, parentId: id } }, changed }
    if (update.kind === 'text' || update.kind === 'thought' || update.kind === 'plan')
      return { update: { ...update, strand: id }, changed }
    return { update, changed }
  }

  clear(): void {
    this.#strands.clear()
  }

  /** A call that is a sub-agent, as claude and codex have it. */
  #ofCall(call: ToolCall, sent: Fields): Strand | undefined {
    const meta = fieldsOf(sent['_meta'])
    const claude = fieldsOf(meta['claudeCode'])
    const isSubAgent =
      claudeTools.has(lineOf(claude['toolName'])) ||
      fieldsOf(meta['codex'])['subagent'] !== undefined
    const before = this.#strands.get(call.toolCallId)
    if (!isSubAgent && !before) return undefined
    const isAsync = fieldsOf(claude['toolResponse'])['isAsync'] === true
    const background = (before?.background ?? false) || isAsync
    return this.#put({
      id: call.toolCallId,
      ...(call.parentId !== undefined && { parentId: call.parentId }),
      callId: call.toolCallId,
      title: call.title,
      // The call of one in the background ends when that one has begun.
      state: background && call.status === 'completed' ? 'running' : stateOfCall[call.status],
      background,
    })
  }

  /** Undefined when nothing has changed, or there are too many. */
  #put(strand: Strand): Strand | undefined {
    const before = this.#strands.get(strand.id)
    if (JSON.stringify(before) === JSON.stringify(strand)) return undefined
    if (!before && this.#strands.size >= maxStrands) return undefined
    this.#strands.set(strand.id, strand)
    return strand
  }
}

/** A child session that an update is of, as opencode has it. */
function childIn(meta: Fields): Strand | undefined {
  const child = fieldsOf(meta['opencode/child-session'])
  const id = lineOf(child['id'])
  if (!id) return undefined
  const parentId = lineOf(child['parentID'])
  const isNested = typeof child['depth'] === 'number' && child['depth'] > 1
  return {
    id,
    ...(isNested && parentId !== undefined && { parentId }),
    callId: null,
    title: lineOf(child['title']) ?? '',
    state: 'running',
    background: false,
  }
}
