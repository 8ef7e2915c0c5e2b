/**
 * Interprets how a turn ended, from what the agent reported and said: some agents present an error
 * of their model as an answer or end without text (CX12), some end a turn in which something was
 * denied in silence (CX5).
 */
import { cutDetail, type Detail } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { judgeAnswer } from '../../domain/turns/error-phrased.ts'
import type { TurnEvent } from '../../domain/turns/lifecycle.ts'
import { endedInSilence, notAnAnswer } from '../../domain/turns/vendor-limit.ts'
import type { TurnStreamEvent } from '../../protocol/threads/fold-turn.ts'
import type { TurnUsage } from '../../protocol/turns/agent-update.ts'
import { selectSettledLast } from '../../store/approvals/approvals.ts'
import { selectAgentName } from '../../store/processes/launches.ts'
import type { Context, Reader } from '../../store/store.ts'
import { selectCountedOf, selectCountedOfLaunch } from '../../store/turns/model-usage.ts'
import { settledSeq } from '../../store/turns/turn-items.ts'
import { selectUsageBefore, type TurnRow } from '../../store/turns/turns.ts'
import { limitOf } from './limit-record.ts'
import type { EndedTurn } from './record-end.ts'
import { type LoggedPieces, readTurnOutput, type TurnOutput } from './turn-output.ts'

/** An event as it is told, without what is found out here. */
export type ReportedEvent =
  | Exclude<TurnEvent, { type: 'ended' }>
  | Omit<Extract<TurnEvent, { type: 'ended' }>, 'hasText' | 'isLimit' | 'denied'>

type InterpretedEnd = Pick<EndedTurn, 'text' | 'limitedUntil'> & { readonly applied: TurnEvent }

interface TurnEnding {
  readonly which: LoggedPieces
  readonly unwritten: readonly TurnStreamEvent[]
  readonly came: TurnOutput
  readonly usage: TurnUsage | null
}

export async function interpretEnd(
  reader: Reader,
  row: TurnRow,
  { which, unwritten, came, usage }: TurnEnding,
  event: ReportedEvent,
  clock: Context,
): Promise<InterpretedEnd> {
  const answer = row.answer + came.text
  if (event.type !== 'ended') return { text: answer, applied: event, limitedUntil: undefined }
  const { sinceTools, tools } = came
  const agent =
    row.launch_id === null
      ? null
      : ((await reader.first(selectAgentName, { id: row.launch_id }))?.agent_name ?? null)
  const denied = await deniedLast(reader, which, unwritten)
  const isDone = event.outcome === 'answered' && (event.stopReason ?? 'end_turn') === 'end_turn'
  const atLimit =
    answer !== sinceTools && limitOf({ ...event, answer: sinceTools.trim() }, clock) !== undefined
  const limitedBefore = limitOf({ ...event, answer }, clock) !== undefined
  const judged =
    isDone && !atLimit && !limitedBefore ? await judge(reader, row, came, usage) : 'answer'
  const knownError = isDone ? notAnAnswer('error', agent, sinceTools) : undefined
  const wrong = knownError ?? (atLimit || judged === 'error' ? sinceTools.trim() : undefined)
  const text =
    wrong !== undefined && answer.endsWith(sinceTools)
      ? answer.slice(0, answer.length - sinceTools.length)
      : answer
  const over = wrong === undefined ? event : { ...event, outcome: 'failed' as const, error: wrong }
  const limitedUntil = limitOf({ ...over, answer: text }, clock)
  const hasText = text.trim() !== '' && !(tools.length > 0 && endedInSilence(agent, sinceTools))
  return {
    text,
    applied: {
      ...over,
      hasText,
      isLimit: limitedUntil !== undefined,
      denied,
      isDoubtful: judged === 'probably',
    },
    limitedUntil,
  }
}

/**
 * Whether what was said last is an error of the model (CX12). What is not worded like one is asked
 * of the gateway alone.
 */
async function judge(
  reader: Reader,
  row: TurnRow,
  { sinceTools: lastText, tools, text }: TurnOutput,
  usage: TurnUsage | null,
) {
  const { launch_id: launchId, context_id: contextId, id: turnId } = row
  const rows = launchId === null ? [] : await reader.all(selectCountedOf, { launchId, turnId })
  const sum = (column: 'output_tokens' | 'requests' | 'finished') =>
    rows.reduce((all, each) => all + Number(each[column]), 0)
  const counted = { outputTokens: sum('output_tokens'), atLeast: sum('finished') < sum('requests') }
  const hasGateway =
    launchId !== null && (await reader.first(selectCountedOfLaunch, { launchId })) !== undefined
  const before =
    contextId === null
      ? undefined
      : await reader.first(selectUsageBefore, { contextId, id: turnId })
  return judgeAnswer({
    said: lastText,
    ranTools: tools.length > 0 || lastText !== text,
    usage,
    usageBefore: before?.usage ? JSON.parse(before.usage) : null,
    counted: rows.length === 0 ? null : counted,
    hasGateway,
  })
}

const maxTitleChars = 200

/**
 * In words, if the permission that was settled last in this turn was denied, and nothing was said
 * since.
 */
async function deniedLast(
  reader: Reader,
  pieces: LoggedPieces,
  unwritten: readonly TurnStreamEvent[],
): Promise<Detail | null> {
  const last = await reader.first(selectSettledLast, { turnId: pieces.turnId })
  if (!last || last.outcome === 'allowed' || unwritten.some(isText)) return null
  const startedSeq = await settledSeq(reader, pieces, last.id)
  if (startedSeq === undefined) return null
  const { text } = await readTurnOutput(reader, { ...pieces, startedSeq })
  if (text.trim() !== '') return null
  const what = cutDetail(last.instruction_content ?? '', maxTitleChars)
  return last.outcome === 'denied'
    ? statusNotice('endedDenied', { what })
    : statusNotice('endedUnanswered', { what })
}

const isText = (event: TurnStreamEvent): boolean => {
  if (event.type !== 'agent:update') return false
  const { update } = event.data
  return update.kind === 'media' || (update.kind === 'text' && update.text.trim() !== '')
}
